import { fail } from '../../errors/index.js';
import { hostOf } from '../../wire/address.js';
import { printable } from '../../wire/redact.js';
import { columns } from '../present/columns.js';
import { mayAsk } from '../resolve.js';
import type { Session } from '../session.js';
import type { Tools } from '../talk.js';
import { checkLogin } from './guard.js';

/** What somebody is about to confirm. */
export interface Statement {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, text: string])[];
  readonly question: string;
  /** Why it takes a confirmation, when no terminal is there to ask on. */
  readonly why: string;
}

/** Repeats what is meant and has the merchant login typed, unless --confirm-login gives it. Throws LIVE_GUARD. */
export async function confirmByLogin({ title, rows, question, why }: Statement, { session, options, runtime }: Tools): Promise<void> {
  if (options.confirmLogin !== undefined) return checkLogin(options.confirmLogin, session);
  if (!mayAsk(options, runtime))
    throw fail('LIVE_GUARD', { why: `${why}, and there is no terminal to ask on`, how: 'add --confirm-login LOGIN' });
  const { terminal } = runtime;
  const paint = terminal.paint('err', options.color);
  // Not silenced by --quiet: nobody should confirm what was not shown.
  terminal.err(`${statementLines({ title: paint.warn(title), rows }).join('\n')}\n`);
  const prompter = await runtime.prompter(options.color);
  checkLogin(await prompter.ask({ name: 'login', message: question, hint: session.name }), session);
}

/** The title and a line for each part, with nothing in them that a terminal would act on. */
export function statementLines({ title, rows }: Pick<Statement, 'title' | 'rows'>): readonly string[] {
  const lines = columns(rows.map(([name, text]) => [`  ${name}`, printable(text)])).trimEnd();
  return [title, ...lines.split('\n')];
}

export function placeText({ name, login, place }: Session): string {
  return `profile ${name}, login ${login}, ${hostOf(place)}`;
}
