import { join } from 'node:path';
import { shellWord } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { ExaminedRequest } from '../../../sandbox/audit/examine.js';
import type { RuleId } from '../../../sandbox/audit/rules.js';
import type { SandboxReply, SandboxRequest } from '../../../sandbox/request.js';
import type { RejectedRequest } from '../../../sandbox/request-log.js';
import { testNumbers } from '../../../spec/index.js';
import { protectionOf } from '../../../wire/check.js';
import { decodeForm } from '../../../wire/form.js';
import { hasCheckDigit } from '../../../wire/mask.js';
import { type LocalSandbox, sandboxName } from '../../sandbox-session.js';
import type { MerchantOptions, ServeSettings } from '../sandbox/serve.js';

/** Something that came while the client ran, at a time of this machine. */
export type ReceivedByDoctor =
  | { readonly at: number; readonly request: SandboxRequest; readonly reply: SandboxReply }
  /** Refused before any operation saw it. */
  | { readonly at: number; readonly rejected: RejectedRequest };

/** How the client ran. */
export interface ClientRun {
  readonly url: string;
  /** Undefined where no client was started here. */
  readonly clientExit?: number;
  readonly stoppedBy?: 'SIGINT' | 'SIGTERM' | undefined;
}

/** One thing to put right. */
export interface Problem {
  readonly kind: 'form' | 'signature';
  /** Of a rule of the audit report, or of a mistake in signing. */
  readonly name: string;
  readonly variant?: string;
  readonly detail: string;
  readonly remedy: string;
}

/** A request with what is wrong with it, if anything. */
export interface DiagnosedRequest {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  /** As the command line calls it; undefined when the address is no operation's. */
  readonly operation: string | undefined;
  readonly httpStatus: number;
  readonly signature: 'right' | 'wrong' | 'none' | 'unchecked';
  readonly problems: readonly Problem[];
  /** Other mistakes that explain the same signature, less likely ones. */
  readonly otherwise: readonly string[];
  /** Why a request without a problem was not carried out, in the words of the gateway. */
  readonly refused: string | undefined;
  /** The command that tells more. */
  readonly more: string | undefined;
}

export interface DiagnosedRun extends ClientRun {
  readonly ok: boolean;
  readonly requests: readonly DiagnosedRequest[];
}

interface Surroundings {
  readonly sandbox: LocalSandbox;
  readonly settings: ServeSettings;
  readonly options: MerchantOptions;
  /** Where requests with a wrong signature are kept for other commands. */
  readonly folder: string;
}

/** What to change so that a rule is kept. */
type FixRule = (rule: RuleId) => string;

/** Finds out what was wrong with everything that came. */
export async function diagnoseRun(
  seen: readonly ReceivedByDoctor[],
  run: ClientRun,
  around: Surroundings,
  runtime: Runtime,
): Promise<DiagnosedRun> {
  const { examineRequest, ruleOfReason } = await import('../../../sandbox/audit/examine.js');
  const { rules } = await import('../../../sandbox/audit/rules.js');
  const { ruleByReason } = await import('../../../sandbox/request-log.js');
  const { sandbox, settings, options } = around;
  const { assume, settleMs, anyCard } = settings;
  const ofListener = { pagesBase: undefined, client: undefined, lateMs: 0, isCompatible: false };
  const login = options.login ?? sandbox.identity().login;
  const own = sandbox.merchants().find((merchant) => merchant.login === login);
  const endpoints = (own?.endpoints ?? []).map(({ id }) => id);
  const here: Partial<Record<RuleId, string>> = {
    'endpoint-unknown': `end the path with the endpoint id in PAYCLI_ENDPOINT_ID; ${login} has ${endpoints.join(', ')}`,
    'not-http': 'use plain HTTP/1.1 without TLS: the address in PAYCLI_BASE_URL begins with http://',
    'host-wrong': 'send requests to the address in PAYCLI_BASE_URL; a proxy in between must set the Host header to it',
  };
  const fix: FixRule = (rule) => here[rule] ?? rules[rule].fix;
  const requests = seen.map((each, at): DiagnosedRequest => {
    if ('rejected' in each) return rejectedRequest(at + 1, each.rejected, ruleByReason[each.rejected.reason], fix);
    const examined = examineRequest(sandbox.store, { assume, settleMs, anyCard, ...ofListener }, each);
    const { signature, route } = examined;
    const isControl = route !== undefined && protectionOf(route.row, assume).scheme === 'control';
    const rule = signature.state === 'wrong' ? ruleOfReason(signature, isControl) : undefined;
    const found = diagnosed(at + 1, examined, rule, fix);
    return { ...found, more: moreAbout(found, examined, each.request, around, runtime) };
  });
  return { ...run, requests, ok: requests.every(({ problems }) => problems.length === 0) };
}

function rejectedRequest(
  number: number,
  { request, status, why, reason }: RejectedRequest,
  rule: RuleId | undefined,
  fix: FixRule,
) {
  const problem: Problem = {
    kind: 'form',
    name: rule ?? reason,
    detail: reason === 'unreadable' ? `${why}; this is what a client that uses TLS (https://) sends` : why,
    remedy: rule === undefined ? 'send the request to an operation of the API' : fix(rule),
  };
  return {
    number,
    method: request?.method ?? '–',
    path: request === undefined ? '–' : new URL(request.url).pathname,
    httpStatus: status,
    signature: 'unchecked' as const,
    ...{ problems: [problem], otherwise: [], operation: undefined, refused: undefined, more: undefined },
  };
}

function diagnosed(
  number: number,
  examined: ExaminedRequest,
  rule: RuleId | undefined,
  fix: FixRule,
): Omit<DiagnosedRequest, 'more'> {
  const { method, path, route, status, refusal, signature } = examined;
  const known = [...formProblems(examined, fix), ...signatureProblems(examined, rule, fix)];
  const named = known.length === 0 && refusal !== undefined ? unnamedProblems(examined, fix) : known;
  const problems = joined(named).map((problem) => ({
    ...problem,
    remedy: problem.remedy.replaceAll('OPERATION', route?.row.command ?? 'OPERATION'),
  }));
  return {
    number,
    method,
    path,
    operation: route?.row.command,
    httpStatus: status,
    signature: signature.state,
    problems,
    otherwise:
      signature.state === 'wrong'
        ? signature.diagnosis.otherwise.map((mistakes) => mistakes.map(mistakeName).join(' with '))
        : [],
    refused: problems.length === 0 ? refusal?.message : undefined,
  };
}

function formProblems({ violations, route, refusal }: ExaminedRequest, fix: FixRule): readonly Problem[] {
  return violations.map(({ rule, detail }) => ({
    kind: 'form',
    name: rule,
    // The words of the refusal name the path that may have been meant.
    detail: refusal?.reason === 'unknown-path' ? refusal.message : withoutOperation(detail, route?.id),
    remedy: fix(rule),
  }));
}

/** Problems of one name are one, such as those of several fields. */
function joined(problems: readonly Problem[]): readonly Problem[] {
  const byName = new Map<string, Problem>();
  for (const problem of problems) {
    const key = mistakeName(problem);
    const before = byName.get(key);
    byName.set(key, before === undefined ? problem : { ...before, detail: `${before.detail}; ${problem.detail}` });
  }
  return [...byName.values()];
}

/** The details of the audit report begin with the operation, which has a column of its own here. */
function withoutOperation(detail: string, id: string | undefined): string {
  return id !== undefined && detail.startsWith(`${id}: `) ? detail.slice(id.length + 2) : detail;
}

function signatureProblems(
  { signature }: ExaminedRequest,
  rule: RuleId | undefined,
  fixRule: FixRule,
): readonly Problem[] {
  if (signature.state !== 'wrong' || rule === undefined) return [];
  const { isPlain, detail, diagnosis } = signature;
  const mistakes = diagnosis.mistakes.map(
    ({ fix, ...mistake }): Problem => ({ kind: 'signature', ...mistake, remedy: fix }),
  );
  // Of another method, and of a header that is not encoded, the search says the same.
  const isCertain = isPlain || rule === 'oauth-method' || mistakes.some(({ name }) => name === 'header-not-encoded');
  if (isCertain && mistakes.length > 0) return mistakes;
  const why = isPlain ? `no known mistake explains it: ${detail}` : detail;
  return [{ kind: 'signature', name: rule, detail: why, remedy: fixRule(rule) }, ...mistakes];
}

export function mistakeName({ name, variant }: { readonly name: string; readonly variant?: string }): string {
  return variant === undefined ? name : `${name} (${variant})`;
}

// What the order or the card does not allow says nothing against a request.
const formReasons: ReadonlySet<string> = new Set([
  'invalid',
  'control',
  'oauth',
  'unknown-path',
  'method',
  'too-large',
  'fault',
]);

/** A refusal that no rule of the audit report is about. */
function unnamedProblems({ refusal }: ExaminedRequest, fix: FixRule): readonly Problem[] {
  if (refusal === undefined || !formReasons.has(refusal.reason)) return [];
  return [{ kind: 'form', name: refusal.reason, detail: refusal.message, remedy: fix('field-wrong') }];
}

function moreAbout(
  { number, problems, operation }: Omit<DiagnosedRequest, 'more'>,
  { signature }: ExaminedRequest,
  request: SandboxRequest,
  around: Surroundings,
  runtime: Runtime,
): string | undefined {
  if (problems.length === 0) return undefined;
  const file = signature.state === 'wrong' ? keptRequest(number, request, around.folder, runtime) : undefined;
  if (file !== undefined) return checkCommand(file, request, around, runtime);
  return operation === undefined ? 'paycli sign --help' : `paycli sign ${operation} --recipe`;
}

function checkCommand(file: string, { url }: SandboxRequest, { options }: Surroundings, runtime: Runtime): string {
  const { login, endpointId, controlKeyFile, publicKeyFile } = options;
  if (login === undefined)
    return `PAYCLI_SANDBOX=${sandboxName(runtime)} paycli sign check ${shellWord(file)} --profile sandbox`;
  const flags = [
    ['--base-url', `${new URL(url).origin}/gateway`],
    ['--login', login],
    ['--endpoint-id', endpointId],
    ['--control-key-file', controlKeyFile],
    ['--public-key-file', publicKeyFile],
  ].flatMap(([flag = '', value]) => (value === undefined ? [] : [`${flag} ${shellWord(value)}`]));
  return `paycli sign check ${shellWord(file)} ${flags.join(' ')}`;
}

const maxKept = 100;

/** The request as a file that `sign check` reads. Undefined where it holds what could be the number of a real card. */
function keptRequest(number: number, request: SandboxRequest, folder: string, runtime: Runtime): string | undefined {
  const body = Buffer.from(request.body).toString('utf8');
  if (number > maxKept || !Buffer.from(body).equals(Buffer.from(request.body)) || mayHoldCards(body)) return undefined;
  const { host, pathname, search } = new URL(request.url);
  const { accept, authorization, 'content-type': type } = request.headers;
  const headers = [
    ['Host', host],
    ['Accept', accept],
    ['Content-Type', type],
    ['Authorization', authorization],
    ['Content-Length', String(request.body.length)],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const file = join(folder, `${number}.http`);
  runtime.files.writeText(file, [`${request.method} ${pathname}${search} HTTP/1.1`, ...headers, '', body].join('\r\n'));
  return file;
}

/** True where a value could be the number of a card that somebody owns. */
function mayHoldCards(body: string): boolean {
  try {
    return decodeForm(body).some(([, value]) => {
      const number = value.replaceAll(/[\s-]/g, '');
      return /^[2-6]\d{11,18}$/.test(number) && hasCheckDigit(number) && !testNumbers.includes(number);
    });
  } catch {
    return true;
  }
}
