import { fail } from '../errors/index.js';
import { wrapValues } from '../errors/text-width.js';
import type { Runtime } from '../runtime/ports.js';
import { hostOf } from '../wire/address.js';
import { printable } from '../wire/redact.js';
import { mayPrompt } from './command.js';
import type { CommonOptions } from './core/common-options.js';
import { columns } from './format/columns.js';
import type { Tools } from './gateway.js';
import { checkLogin } from './open-session.js';
import type { Session } from './session.js';

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
