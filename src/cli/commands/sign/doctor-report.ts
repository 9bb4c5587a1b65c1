import { fail } from '../../../errors/index.js';
import type { Reporter } from '../../core/reporter.js';
import type { Document, Sheet } from '../../format/document.js';
import { oneLine } from '../../format/document.js';
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
    empty: ['no request arrived', ...endOf(run)].join('; '),
  });
  const wrong = requests.find(({ problems }) => problems.length > 0);
  const [problem] = wrong?.problems ?? [];
  if (wrong !== undefined && problem !== undefined)
    report.becauseOfCheck(`request ${wrong.number}: ${problem.detail}`, problem.remedy);
  else if (requests.length === 0 && stoppedBy === null) report.because(fail('CLIENT_SILENT', { ...silence(run), url }));
}

// POSIX, Shell Command Language, 2.8.2: the exit status of a command that is not found.
const notFound = 127;

function silence({ url, clientExit }: DiagnosedRun): { readonly why: string; readonly how: string } {
  if (clientExit === notFound)
    return {
      why: 'a program of the command was not found (exit code 127)',
      how: 'check its name and that it is installed',
    };
  return {
    why: `the client sent no request to the sandbox at ${url}`,
    how: 'have the client take the address from PAYCLI_BASE_URL, or give the sandbox the port it uses with --port',
  };
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
  return refused === undefined ? right : 'correctly signed, refused for another reason';
}

/** What is wrong with fields says more than the name of its rule. */
function problemName({ kind, name, variant, detail }: Problem): string {
  if (kind === 'form' && name.startsWith('field-')) return detail;
  return variant === undefined ? name : mistakeName({ name, variant });
}

function endOf({ clientExit, stoppedBy }: DiagnosedRun): string[] {
  return [
    ...(clientExit === undefined ? [] : [`the client exited with code ${clientExit}`]),
    ...(stoppedBy === undefined ? [] : [`stopped by ${stoppedBy}`]),
  ];
}

function textOf(run: DiagnosedRun, report: Reporter): string {
  const { requests } = run;
  const wrong = requests.filter(({ problems }) => problems.length > 0).length;
  const count = requests.length === 1 ? '1 request' : `${requests.length} requests`;
  const verdict =
    wrong === 0
      ? report.paint.good(requests.length === 1 ? 'correctly signed' : 'all correctly signed')
      : report.paint.bad(`${wrong} wrong`);
  const sheet = report.sheet({ columns: shownColumns, rows: shownRows(requests, report) });
  return [sheet, ...blocksOf(requests, report), `${[`${count}, ${verdict}`, ...endOf(run)].join('; ')}\n`].join('\n');
}

const shownColumns: Sheet['columns'] = [
  { head: '#', right: true },
  { head: 'method' },
  { head: 'path', flexible: true },
  { head: 'operation' },
  { head: 'HTTP', right: true },
  { head: 'result', flexible: true },
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

/** Each mistake once, with all requests that have it; then what the sandbox refused of requests signed rightly. */
function blocksOf(requests: readonly DiagnosedRequest[], report: Reporter): string[] {
  const mistakes = requests.flatMap((request) =>
    request.problems.map((problem, at) => {
      const otherwise = at === 0 ? request.otherwise : [];
      const key = JSON.stringify([mistakeName(problem), problem.detail, remedyFor(problem, request), otherwise]);
      return { key, request, problem, otherwise };
    }),
  );
  const refused = requests.filter((request) => request.problems.length === 0 && request.refused !== undefined);
  return [
    ...grouped(mistakes, ({ key }) => key).map((group) => mistakeBlock(group, report)),
    ...grouped(refused, (request) => request.refused ?? '').map((group) => refusedBlock(group, report)),
  ];
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}

/** The same for every operation. */
function remedyFor({ remedy }: Problem, { operation }: DiagnosedRequest): string {
  return operation === undefined ? remedy : remedy.replaceAll(`paycli sign ${operation} `, 'paycli sign OPERATION ');
}

interface Mistake {
  readonly request: DiagnosedRequest;
  readonly problem: Problem;
  readonly otherwise: readonly string[];
}

function mistakeBlock(group: readonly Mistake[], { paint }: Reporter): string {
  const [first] = group;
  if (first === undefined) return '';
  const { request, problem, otherwise } = first;
  const requests = group.map((each) => each.request);
  const isOne = new Set(requests.map(({ operation }) => operation)).size === 1;
  return [
    `${paint.bad('✗')} ${paint.bold(numbersOf(requests))}`,
    `  ${paint.warn(mistakeName(problem))}: ${oneLine(problem.detail)}`,
    `      change: ${oneLine(isOne ? problem.remedy : remedyFor(problem, request))}`,
    ...(otherwise.length === 0 ? [] : [`      or it was: ${otherwise.join('; ')}`]),
    ...(request.more === undefined ? [] : [`      more: ${request.more}`]),
    '',
  ].join('\n');
}

function refusedBlock(group: readonly DiagnosedRequest[], { paint }: Reporter): string {
  const [first] = group;
  return [
    `${paint.good('✓')} ${paint.bold(numbersOf(group))}`,
    `  correctly signed; refused for another reason: ${oneLine(first?.refused ?? '')}`,
    '',
  ].join('\n');
}

/** Such as `1–3 status, 5 void`. */
function numbersOf(requests: readonly DiagnosedRequest[]): string {
  return grouped(requests, ({ operation = '' }) => operation)
    .map((group) => {
      const numbers = group.map(({ number }) => number).join(', ');
      const [first] = group;
      return first?.operation === undefined ? numbers : `${numbers} ${first.operation}`;
    })
    .join(', ');
}
