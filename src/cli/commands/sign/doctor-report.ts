import { fail, type PaycliError } from '../../../errors/index.js';
import type { Paint } from '../../../runtime/ports.js';
import type { AnsweredRequest, ExaminedRequest } from '../../../sandbox/audit/examine.js';
import type { RejectedRequest } from '../../../sandbox/request-log.js';
import type { Store } from '../../../sandbox/store.js';
import type { Assume } from '../../../spec/index.js';
import { protectionOf } from '../../../wire/check.js';
import type { Reporter } from '../../core/reporter.js';
import { oneLine, type Sheet } from '../../format/document.js';
import type { ServeSettings } from '../sandbox/serve.js';
import { findingOf } from './finding.js';
import { type Finding, presentFinding } from './report.js';

/** Something that came while the client ran: answered, or refused before any operation saw it. */
export type ReceivedByDoctor = AnsweredRequest | { readonly rejected: RejectedRequest };

/** How the client ran. */
export interface ClientRun {
  readonly url: string;
  readonly clientExit: number;
  readonly stoppedBy: 'SIGINT' | 'SIGTERM' | undefined;
}

/** A request with what is wrong with it, if anything. */
interface DiagnosedRequest extends Finding {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  /** As the command line calls it; null when the address is no operation's. */
  readonly operation: string | null;
  readonly httpStatus: number;
  readonly ok: boolean;
  readonly signature: 'right' | 'wrong' | 'none' | 'unchecked';
  /** Why a request without a mistake was not carried out, in the words of the gateway. */
  readonly refused: string | null;
}

/** Finds out what was wrong with everything that came. */
export async function diagnoseRequests(
  seen: readonly ReceivedByDoctor[],
  store: Store,
  { assume, settleMs, anyCard, isCompatible = false }: ServeSettings,
): Promise<DiagnosedRequest[]> {
  const { examineRequest } = await import('../../../sandbox/audit/examine.js');
  const common = { pagesBase: undefined, client: undefined, lateMs: 0, isCompatible };
  const requests: DiagnosedRequest[] = [];
  for (const [at, each] of seen.entries())
    requests.push(
      'rejected' in each
        ? await rejectedRequest(at + 1, each.rejected)
        : await answeredRequest(at + 1, examineRequest(store, { assume, settleMs, anyCard, ...common }, each), assume),
    );
  return requests;
}

async function rejectedRequest(
  number: number,
  { request, status, why, reason }: RejectedRequest,
): Promise<DiagnosedRequest> {
  const { ruleByReason } = await import('../../../sandbox/request-log.js');
  const rule = ruleByReason[reason];
  const { form } = await findingOf(rule === undefined ? [] : [{ rule, detail: why }], { state: 'unchecked' }, false);
  const other = { name: reason, detail: why, fix: 'send the request to an operation of the API' };
  return {
    ...{ number, method: request?.method ?? '–', path: request === undefined ? '–' : new URL(request.url).pathname },
    ...{ operation: null, httpStatus: status, ok: false, signature: 'unchecked', refused: null },
    ...{ form: form.length > 0 ? form : [other], mistakes: [] },
  };
}

// What the order or the card does not allow says nothing against a request.
const formReasons: ReadonlySet<string> = new Set([
  ...['invalid', 'control', 'oauth', 'unknown-path', 'method', 'too-large', 'fault'],
]);

async function answeredRequest(
  number: number,
  { method, path, route, status, refusal, signature, violations }: ExaminedRequest,
  assume: Assume,
): Promise<DiagnosedRequest> {
  const isControl = route !== undefined && protectionOf(route.row, assume).scheme === 'control';
  // A refusal that no rule of the audit is about is one of a field.
  const isOther =
    refusal !== undefined && formReasons.has(refusal.reason) && violations.length === 0 && signature.state !== 'wrong';
  const all = isOther ? [{ rule: 'field-wrong' as const, detail: refusal.message }] : violations;
  const { form, mistakes } = await findingOf(all, signature, isControl);
  const ok = form.length + mistakes.length === 0;
  return {
    ...{ number, method, path, operation: route?.row.command ?? null, httpStatus: status, ok },
    ...{ signature: signature.state, form, mistakes, refused: ok ? (refusal?.message ?? null) : null },
  };
}

// POSIX, Shell Command Language, 2.8.2: the exit status of a command that is not found.
const notFound = 127;

/** Prints the table of a run, and what is to be done about each request that was wrong. */
export async function reportRun(
  requests: readonly DiagnosedRequest[],
  run: ClientRun,
  report: Reporter,
): Promise<void> {
  const { url, clientExit, stoppedBy = null } = run;
  const wrong = requests.filter(({ ok }) => !ok);
  // One that cannot read a reply gives up after it.
  const how =
    clientExit === 0 || requests.length === 0 ? 'exited with' : `stopped after reply ${requests.length}, with`;
  const end = `the client ${how} code ${clientExit}${stoppedBy === null ? '' : `; stopped by ${stoppedBy}`}`;
  const ok = requests.length > 0 && wrong.length === 0;
  await report.show({
    document: { schema: 'paycli.sign-doctor/1', ok, url, clientExit, stoppedBy, requests },
    list: 'requests',
    sheet: () => sheetOf(requests, report.paint),
    text: () => {
      const count = requests.length === 1 ? '1 request' : `${requests.length} requests`;
      const verdict = ok ? report.paint.good('correctly signed') : report.paint.bad(`${wrong.length} wrong`);
      const sheet = report.sheet(sheetOf(requests, report.paint));
      return [sheet, ...blocks(wrong, report.paint), `${count}, ${verdict}; ${end}\n`].join('\n');
    },
    empty: `no request arrived; ${end}`,
  });
  const [first] = wrong;
  const [problem] = [...(first?.form ?? []), ...(first?.mistakes ?? [])];
  if (first !== undefined && problem !== undefined)
    report.becauseOfCheck(`request ${first.number}: ${problem.detail}`, problem.fix);
  else if (requests.length === 0 && stoppedBy === null) report.because(clientSilent(clientExit, url));
}

function clientSilent(clientExit: number, url: string): PaycliError {
  const isMissing = clientExit === notFound;
  return fail('CLIENT_SILENT', {
    url,
    why: isMissing
      ? 'a program of the command was not found (exit code 127)'
      : `the client sent no request to the sandbox at ${url}`,
    how: isMissing
      ? 'check its name and that it is installed'
      : 'have the client take the address from PAYCLI_BASE_URL, or give the sandbox the port it uses with --port',
  });
}

function sheetOf(requests: readonly DiagnosedRequest[], paint: Paint): Sheet {
  return {
    columns: [
      { head: '#', right: true },
      { head: 'method' },
      { head: 'path', flexible: true },
      { head: 'operation' },
      { head: 'HTTP', right: true },
      { head: 'result', flexible: true },
    ],
    rows: requests.map(({ number, method, path, operation, httpStatus, ok, form, mistakes, refused }) => {
      const names = [...form.map(({ name }) => name), ...mistakes.map(({ name, variant }) => `${name} (${variant})`)];
      const right = refused === null ? 'correct' : `correct; refused: ${oneLine(refused)}`;
      const result = ok ? paint.good(right) : paint.bad(names.join(', '));
      return [String(number), method, path, operation ?? '–', String(httpStatus), result];
    }),
  };
}

/** Each finding once, with the numbers of all requests that have it. */
function blocks(wrong: readonly DiagnosedRequest[], paint: Paint): string[] {
  const numbers = new Map<string, number[]>();
  for (const request of wrong) {
    const text = presentFinding(request, paint);
    numbers.set(text, [...(numbers.get(text) ?? []), request.number]);
  }
  return [...numbers].map(([text, list]) => `${paint.bad('✗')} ${paint.bold(list.join(', '))}\n${text}`);
}
