import type { Route } from '../../../callbacks/forward.js';
import { isLoopbackHost } from '../../../callbacks/listener.js';
import type { CallbackKey } from '../../../callbacks/verify.js';
import { readSecret } from '../../../config/index.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { webAddress } from '../../../wire/address.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { seconds } from '../../flags.js';
import type { Session } from '../../session.js';

const command = 'callback listen';

export interface ListenFlags extends CommonOptions {
  readonly port?: string;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly path?: string;
  readonly forward?: string;
  readonly route?: readonly string[];
  readonly answerWithHandler?: boolean;
  readonly oldControlKeyFile?: readonly string[];
  readonly readyFile?: string;
  readonly exitAfter?: string;
  readonly ask?: boolean;
  readonly check?: boolean;
  readonly run?: boolean;
}

export interface ListenSettings {
  readonly port: number;
  readonly host: string;
  readonly names: readonly string[];
  readonly path: string;
  readonly forwardTo: string | undefined;
  readonly routes: readonly Route[];
  readonly answerWithHandler: boolean;
  readonly oldKeyFiles: readonly string[];
  readonly readyFile: string | undefined;
  readonly exitAfter: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly mayAsk: boolean;
  readonly check: boolean;
}

/** Reads the flags of `callback listen`. Throws USAGE. */
export function readListenSettings(flags: ListenFlags): ListenSettings {
  const { forward, route = [], exitAfter, timeout } = flags;
  const settings: ListenSettings = {
    port: wholeNumberIn('--port', flags.port ?? '0', 0, 65_535),
    host: hostFrom(flags.host ?? '127.0.0.1'),
    names: (flags.allowHost ?? []).map((name) => name.toLowerCase()),
    path: pathFrom(flags.path ?? '/callback'),
    forwardTo: forward === undefined ? undefined : parseHandlerAddress(forward, '--forward', command),
    routes: route.map((text) => parseRoute(text)),
    answerWithHandler: flags.answerWithHandler === true,
    oldKeyFiles: flags.oldControlKeyFile ?? [],
    readyFile: flags.readyFile,
    exitAfter: exitAfter === undefined ? undefined : wholeNumberIn('--exit-after', exitAfter, 1, 1_000_000),
    timeoutMs: seconds('--timeout', timeout, 86_400),
    mayAsk: flags.ask !== false,
    check: flags.check === true,
  };
  if (flags.run === true && (exitAfter !== undefined || timeout !== undefined))
    throw fail('USAGE', {
      why: 'with --run the listener stops when the command ends: omit --exit-after and --timeout',
      command,
    });
  if (settings.answerWithHandler && settings.forwardTo === undefined && settings.routes.length === 0)
    throw fail('USAGE', { why: '--answer-with-handler needs --forward or --route', command });
  return settings;
}

/** Reads a value of --route, such as `type=reversal -> http://127.0.0.1:3000/reversals`. Throws USAGE. */
export function parseRoute(text: string): Route {
  const {
    field = '',
    value = '',
    url = '',
  } = /^\s*(?<field>[A-Za-z_-]+)\s*=\s*(?<value>\S+)\s*->\s*(?<url>\S+)\s*$/.exec(text)?.groups ?? {};
  if (field === '')
    throw fail('USAGE', { why: '--route is written as "type=reversal -> http://127.0.0.1:3000/reversals"', command });
  return { field, value, url: parseHandlerAddress(url, '--route', command) };
}

/** An address of a handler. Throws USAGE. */
export function parseHandlerAddress(text: string, flag: string, command: string): string {
  const url = webAddress(text);
  if (url !== undefined && url.hash === '') return url.href;
  throw fail('USAGE', {
    why: `${flag} needs an http or https address such as http://127.0.0.1:3000/callback`,
    flag,
    command,
  });
}

function hostFrom(text: string): string {
  const host = text.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLoopbackHost(host) || /^[0-9a-z.:-]{1,253}$/.test(host)) return host;
  throw fail('USAGE', { why: '--host: use an address of this machine, such as 127.0.0.1 or 0.0.0.0', command });
}

function pathFrom(text: string): string {
  if (/^\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/]{0,200}$/.test(text)) return text;
  throw fail('USAGE', { why: '--path: use a path such as /callback', command });
}

function wholeNumberIn(flag: string, text: string, min: number, max: number): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : -1;
  if (value >= min && value <= max) return value;
  throw fail('USAGE', { why: `${flag}: use a whole number from ${min} to ${max}`, flag, most: max, command });
}

/** The control key of the profile, and older ones that still count while keys are changed. Throws SECRET_UNREADABLE. */
export async function readCallbackKeys(
  session: Session,
  oldFiles: readonly string[],
  report: Reporter,
  runtime: Runtime,
): Promise<CallbackKey[]> {
  const current = session.canAskStatus
    ? (await session.credentials({ scheme: 'control', values: [] })).controlKey
    : undefined;
  const keys: CallbackKey[] = current === undefined ? [] : [{ name: 'the control key', key: current }];
  for (const path of oldFiles) {
    const { secret, warning } = await readSecret({ kind: 'file', path }, runtime);
    if (warning !== undefined) report.warn([warning]);
    keys.push({ name: 'an old control key', key: secret });
  }
  return keys;
}
