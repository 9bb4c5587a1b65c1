import { fail } from '../errors/index.js';
import { wrapValues } from '../errors/text-width.js';
import type { Runtime } from '../runtime/ports.js';
import type { Operation } from '../spec/index.js';
import { hostOf } from '../wire/address.js';
import { printable } from '../wire/redact.js';
import { mayPrompt } from './command.js';
import type { CommonOptions } from './core/options.js';
import { columns } from './format/columns.js';
import type { Tools } from './gateway.js';
import type { Session } from './session.js';

/**
 * A live profile needs --live on this very command line, and a profile of another class refuses it. Throws LIVE_GUARD.
 */
export function checkLiveFlag({ live }: Pick<CommonOptions, 'live'>, session: Pick<Session, 'name' | 'class'>): void {
  if (session.class !== 'live' && live === true)
    throw fail('LIVE_GUARD', {
      why: `--live was given, but profile ${session.name} is of class ${session.class}`,
      how: 'omit --live, or choose a live profile',
      profile: session.name,
      class: session.class,
    });
  if (session.class === 'live' && live !== true)
    throw fail('LIVE_GUARD', {
      why: `profile ${session.name} is live and moves real money`,
      how: 'add --live to this command line if that is intended',
      profile: session.name,
    });
}

/** What can be said about a request on a live profile before anything is asked or written down. Throws LIVE_GUARD. */
export function checkLive(row: Operation, options: CommonOptions, session: Session): void {
  checkLiveFlag(options, session);
  if (session.class !== 'live') return;
  if (row.basis === 'A08' && session.assume['payout-pay'] !== 'accepted')
    throw fail('LIVE_GUARD', {
      why: `${row.command} is assumed; the API documentation does not describe it`,
      how: 'set assume: { payout-pay: accepted } in the profile once the gateway has confirmed it',
      operation: row.command,
    });
  if (row.effect === 'money' && options.confirmLogin !== undefined) checkLogin(options.confirmLogin, session);
}

/** Throws LIVE_GUARD. */
function checkLogin(typed: string, { name, login }: Pick<Session, 'name' | 'login'>): void {
  if (typed === login) return;
  throw fail('LIVE_GUARD', {
    why: `the login that was given is not the login of profile ${name}`,
    how: 'nothing was sent; check which profile you meant, then start again',
    profile: name,
  });
}

/** What somebody is about to confirm. */
export interface ConfirmationText {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, text: string])[];
  readonly question: string;
  /** Why it takes a confirmation, when no terminal is there to ask on. */
  readonly why: string;
}

/** Repeats what is meant and has the merchant login typed, unless --confirm-login gives it. Throws LIVE_GUARD. */
export async function confirmByLogin(
  { title, rows, question, why }: ConfirmationText,
  { session, options, runtime }: Tools,
): Promise<void> {
  if (options.confirmLogin !== undefined) return checkLogin(options.confirmLogin, session);
  if (!mayPrompt(options, runtime))
    throw fail('LIVE_GUARD', {
      why: `${why}, and there is no terminal to prompt on`,
      how: 'add --confirm-login LOGIN',
    });
  showConfirmation({ title, rows }, options, runtime);
  const prompter = await runtime.prompter(options.color);
  // Without a hint: one in the place of the answer would look like a default that Enter takes.
  checkLogin(await prompter.ask({ name: 'login', message: question }), session);
}

/** Shows it on the terminal before the question. Not silenced by --quiet: nobody should confirm what was not shown. */
export function showConfirmation(
  { title, rows }: Pick<ConfirmationText, 'title' | 'rows'>,
  { color }: Pick<CommonOptions, 'color'>,
  { terminal }: Pick<Runtime, 'terminal'>,
): void {
  const painted = terminal.paint('err', color).warn(title);
  const lines = confirmationLines({ title: painted, rows }, terminal.errWidth);
  terminal.err(`${wrapValues(lines.join('\n'), terminal.errWidth)}\n`);
}

/** The title and a line for each part, with nothing in them that a terminal would act on. */
export function confirmationLines(
  { title, rows }: Pick<ConfirmationText, 'title' | 'rows'>,
  width?: number,
): readonly string[] {
  const lines = columns(
    rows.map(([name, text]) => [`  ${name}`, printable(text)]),
    width,
  ).trimEnd();
  return [title, ...lines.split('\n')];
}

export function accountText({ name, login, gatewayBase }: Session): string {
  return `profile ${name}, login ${login}, ${hostOf(gatewayBase)}`;
}
