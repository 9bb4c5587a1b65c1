import { fail } from '../errors/index.js';
import { wrapText } from '../errors/text-width.js';
import type { Sum } from '../journal/port.js';
import type { PaymentValue } from '../payments/limits.js';
import { sumText } from '../payments/words.js';
import type { Unsigned } from '../signing/index.js';
import { hostOf } from '../wire/address.js';
import { maskPairs, printable } from '../wire/redact.js';
import { flagOf, mayPrompt } from './command.js';
import { columns } from './format/table.js';
import type { Tools } from './gateway.js';
import { checkLogin, type Session } from './session.js';

/** What somebody is about to confirm. */
export interface ConfirmationText {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, text: string])[];
  readonly question: string;
  /** Why it takes a confirmation, when no terminal is there to ask on. */
  readonly why: string;
}

/** What somebody confirms before a live payment: how much, to whom and through which gateway. */
export function confirmationText(
  { row, values, endpointId, minor }: Unsigned,
  paymentValue: PaymentValue,
  session: Session,
  ofOrder?: Sum,
): ConfirmationText {
  const text = (key: string) => valueText(row, key, values[key]);
  const paidTo = (row.destination ?? []).flatMap((key) =>
    text(key) === '' ? [] : [`${flagOf(key).slice(2).replaceAll('-', ' ')} ${text(key)}`],
  );
  const ids = [values['orderId'], values['clientOrderId']].filter((id) => id !== undefined);
  const amount = amountText(paymentValue, minor, ofOrder);
  const rows: ConfirmationText['rows'] = [
    ['amount', amount],
    ['paid to', paidTo.join(', ')],
    ['card', paidTo.length > 0 ? '' : text('cardNumber')],
    ['order', ids.join(' / ')],
    ['gateway', `${accountText(session)}, endpoint ${endpointId}`],
    ['profile', choiceText(session)],
  ];
  return {
    title: `LIVE ${row.command}: this moves real money`,
    rows: rows.filter(([, value]) => value !== ''),
    question: `LIVE ${row.command} of ${amount}: type the merchant login to continue`,
    why: 'a live payment needs a confirmation',
  };
}

/** Where the choice of the profile came from, unless it was typed. */
function choiceText({ name, connection }: Session): string {
  const origin = connection.find(({ key }) => key === 'profile')?.origin ?? 'flag ';
  return origin.startsWith('flag ') ? '' : `${name} (from ${origin})`;
}

const maxCharacters = 80;

/** A card by its last digits, an account by its last four characters, anything else as it is, cut where it is long. */
function valueText(row: Unsigned['row'], key: string, value = ''): string {
  const field = row.fields[key];
  if (field === undefined || value === '') return '';
  const [[, text = ''] = []] = maskPairs(row, [[field.wire, value]]);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}

/** `ofOrder` is what the gateway said of its order. */
function amountText(paymentValue: PaymentValue, minor: string | undefined, ofOrder?: Sum): string {
  if (paymentValue.kind === 'unknown') return 'an unknown amount';
  if (paymentValue.kind !== 'named')
    return `everything that is left of the order${ofOrder === undefined ? '' : ` of ${sumText(ofOrder)}`}`;
  const { sum } = paymentValue;
  // A range or a list of amounts: what is confirmed is the largest of them.
  return `${minor === sum.minor ? '' : 'up to '}${minorText(sum)}`;
}

/** `10.42 EUR (1042 in minor units)`: a misplaced point is seen. */
export function minorText(sum: Sum): string {
  return `${sumText(sum)} (${sum.minor} in minor units)`;
}

/** Repeats what is meant and has the merchant login typed, unless --confirm-login gives it. Throws LIVE_GUARD. */
export async function confirmByLogin(
  { title, rows, question, why }: ConfirmationText,
  { session, options, runtime, report }: Tools,
): Promise<void> {
  if (options.confirmLogin !== undefined) {
    checkLogin(options.confirmLogin, session);
    // As at a question, --quiet does not silence the statement.
    return report.notes(confirmationLines({ title, rows }), false);
  }
  if (!mayPrompt(options, runtime))
    throw fail('LIVE_GUARD', {
      why: `${why}, and there is no terminal to prompt on`,
      how: 'add --confirm-login LOGIN',
    });
  // Not silenced by --quiet: nobody should confirm what was not shown.
  const { terminal } = runtime;
  const lines = confirmationLines({ title: terminal.paint('err', options.color).warn(title), rows }, terminal.errWidth);
  terminal.err(`${wrapText(lines.join('\n'), terminal.errWidth)}\n`);
  const prompter = await runtime.prompter(options.color);
  // Without a hint: one in the place of the answer would look like a default that Enter takes.
  const check = (text: string) =>
    text === session.login ? undefined : `that is not the login of profile ${session.name}; Ctrl-C sends nothing`;
  await prompter.ask({ name: 'login', message: question, check });
}

/** The title and a line for each part, with nothing in them that a terminal would act on. */
function confirmationLines(
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
