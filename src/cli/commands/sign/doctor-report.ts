import { fail } from '../../../errors/index.js';
import type { Reporter } from '../../core/reporter.js';
import type { Document, Sheet } from '../../format/document.js';
import { oneLine } from '../../format/table.js';
import { type DiagnosedRequest, type DiagnosedRun, mistakeName, type Problem } from './doctor-diagnosis.js';

/** Prints the table of a run, and what is to be done about each request that was wrong. */
export async function reportRun(run: DiagnosedRun, report: Reporter): Promise<void> {
  const { ok, url, clientExit = null, stoppedBy = null, requests } = run;
  const isRight = ok && requests.length > 0;
  await report.show({
    document: {
      schema: 'paycli.sign-doctor/1',
      ...{ ok: isRight, url, clientExit, stoppedBy, requests: requests.map(documentOf) },
    },
    list: 'requests',
    text: () => textOf(run, report),
    sheet: () => wholeSheet(requests, report),
    empty: ['no request came', ...endOf(run)].join('; '),
  });
  const wrong = requests.find(({ problems }) => problems.length > 0);
  const [problem] = wrong?.problems ?? [];
  if (wrong !== undefined && problem !== undefined)
    report.becauseOfCheck(`request ${wrong.number}: ${problem.detail}`, problem.remedy);
  else if (requests.length === 0 && stoppedBy === null) report.because(fail('clientSentNothing', { url }));
}

function documentOf(request: DiagnosedRequest): Document {
  const { operation = null, problems, refused = null, more = null, number, method, path, httpStatus } = request;
  return {
    ...{ number, method, path, operation, httpStatus, ok: problems.length === 0, result: resultOf(request) },
    signature: request.signature,
    problems: problems.map(({ variant = null, ...problem }) => ({ ...problem, variant })),
    otherwise: request.otherwise,
    refused,
    remedy: problems.length === 0 ? null : problems.map(({ remedy }) => remedy).join('; '),
    more,
  };
}

/** In a few words. */
function resultOf({ problems, refused, signature }: DiagnosedRequest): string {
  if (problems.length > 0) return problems.map(problemName).join(', ');
  const right = signature === 'none' ? 'accepted, needs no signature' : 'accepted';
  return refused === undefined ? right : 'signed rightly, refused for another reason';
}

/** What is wrong with fields says more than the name of its rule. */
function problemName({ kind, name, variant, detail }: Problem): string {
  if (kind === 'form' && name.startsWith('field-')) return detail;
  return variant === undefined ? name : mistakeName({ name, variant });
}

function endOf({ clientExit, stoppedBy }: DiagnosedRun): string[] {
  return [
    ...(clientExit === undefined ? [] : [`the client ended with exit code ${clientExit}`]),
    ...(stoppedBy === undefined ? [] : [`stopped by ${stoppedBy}`]),
  ];
}

function textOf(run: DiagnosedRun, report: Reporter): string {
  const { requests } = run;
  const wrong = requests.filter(({ problems }) => problems.length > 0).length;
  const count = requests.length === 1 ? '1 request' : `${requests.length} requests`;
  const verdict =
    wrong === 0
      ? report.paint.good(requests.length === 1 ? 'signed rightly' : 'all signed rightly')
      : report.paint.bad(`${wrong} wrong`);
  const sheet = report.sheet({ columns: shownColumns, rows: shownRows(requests, report) });
  return [sheet, ...blocksOf(requests, report), `${[`${count}, ${verdict}`, ...endOf(run)].join('; ')}\n`].join('\n');
}

const shownColumns: Sheet['columns'] = [
  { head: '#', right: true },
  { head: 'method' },
  { head: 'path', flexible: true, least: 16 },
  { head: 'operation' },
  { head: 'HTTP', right: true },
  { head: 'result', flexible: true, least: 24 },
];

/** Equal lines one behind the other, such as those of polling, are one. */
function shownRows(requests: readonly DiagnosedRequest[], report: Reporter): string[][] {
  const rows: { first: number; last: number; cells: string[] }[] = [];
  for (const request of requests) {
    const cells = cellsOf(request, report);
    const before = rows.at(-1);
    if (before !== undefined && before.cells.join('\n') === cells.join('\n')) before.last = request.number;
    else rows.push({ first: request.number, last: request.number, cells });
  }
  return rows.map(({ first, last, cells }) => [first === last ? String(first) : `${first}–${last}`, ...cells]);
}

function cellsOf(request: DiagnosedRequest, { paint }: Reporter): string[] {
  const { method, path, operation = '–', httpStatus, problems } = request;
  const result = oneLine(resultOf(request));
  return [method, path, operation, String(httpStatus), problems.length === 0 ? paint.good(result) : paint.bad(result)];
}

function wholeSheet(requests: readonly DiagnosedRequest[], report: Reporter): Sheet {
  return {
    columns: [...shownColumns, { head: 'remedy', flexible: true }, { head: 'more', flexible: true, optional: true }],
    rows: requests.map((request) => [
      String(request.number),
      ...cellsOf(request, report),
      oneLine(request.problems.map(({ remedy }) => remedy).join('; ')),
      request.more ?? '',
    ]),
  };
}

/** What was wrong, once for all requests it was wrong with in the same way. */
function blocksOf(requests: readonly DiagnosedRequest[], report: Reporter): string[] {
  const groups = new Map<string, DiagnosedRequest[]>();
  for (const request of requests) {
    const { problems, refused, operation, otherwise } = request;
    if (problems.length === 0 && refused === undefined) continue;
    const key = JSON.stringify([operation, problems, refused, otherwise]);
    groups.set(key, [...(groups.get(key) ?? []), request]);
  }
  return [...groups.values()].map((group) => blockOf(group, report));
}

function blockOf(group: readonly DiagnosedRequest[], { paint }: Reporter): string {
  const [first] = group;
  if (first === undefined) return '';
  const { problems, refused, otherwise, operation, more } = first;
  const numbers = group.map(({ number }) => number).join(', ');
  const mark = problems.length === 0 ? paint.good('✓') : paint.bad('✗');
  const lines = problems.flatMap((problem) => [
    `  ${paint.warn(mistakeName(problem))}: ${oneLine(problem.detail)}`,
    `      change: ${oneLine(problem.remedy)}`,
  ]);
  return [
    `${mark} ${paint.bold(`${numbers}${operation === undefined ? '' : `  ${operation}`}`)}`,
    ...lines,
    ...(otherwise.length === 0 ? [] : [`      or it was: ${otherwise.join('; ')}`]),
    ...(refused === undefined ? [] : [`  signed rightly; not carried out: ${oneLine(refused)}`]),
    ...(more === undefined ? [] : [`      more: ${more}`]),
    '',
  ].join('\n');
}
