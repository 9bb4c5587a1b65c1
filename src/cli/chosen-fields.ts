import { fail, suggest } from '../errors/index.js';
import { knownReplyNames } from '../spec/reply-names.js';
import { namesIn } from './present/pick.js';
import type { Document } from './present/shown.js';

const envelope: readonly string[] = ['schema', 'ok', 'operation', 'profile', 'order', 'order.orderId', 'order.clientOrderId'];
const rest: readonly string[] = ['amount', 'amount.minor', 'amount.digits', 'amount.currency', 'amount.text', 'meaning', 'next', 'exit'];
const result: readonly string[] = [...envelope, ...rest, 'httpStatus', 'wokenBy', 'result'];

/**
 * Refuses a name in --json=… or --select that no reply has, before anything is sent: afterwards the exit code belongs to the payment.
 * What a gateway sends beyond the names known is chosen as `result.NAME`. Throws USAGE.
 */
export function checkChosenOfReply(select: string | undefined, command: string): void {
  const isKnown = (name: string) =>
    result.includes(name) || name.startsWith('result.') || knownReplyNames.includes(name.split('.')[0] ?? '');
  const strange = namesIn(select)?.find((name) => !isKnown(name));
  if (strange === undefined) return;
  const all = [...result, ...knownReplyNames];
  const other = 'a field of the reply that is not among them is result.NAME';
  throw unknownName(strange, all, `${other}; there are: ${result.join(', ')}; and of the reply: ${knownReplyNames.join(', ')}`, command);
}

// Documents whose entries have every key, null where there is no value: another name is a mistake.
const whole: ReadonlySet<unknown> = new Set(
  ['journal', 'batches', 'callback-list', 'assumptions', 'profiles', 'version', 'commands', 'recipe'].map((name) => `paycli.${name}/1`),
);

/** The same for what a command has found out already, where its entries tell which names there are. Throws USAGE. */
export function checkChosen({ schema }: Document, names: readonly string[], entries: readonly Document[]): void {
  if (!whole.has(schema) || entries.length === 0) return;
  const keys = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  const isKnown = (name: string) => keys.includes(name.split('.')[0] ?? '') || (keys.includes('result') && knownReplyNames.includes(name));
  const strange = names.find((name) => !isKnown(name));
  if (strange !== undefined) throw unknownName(strange, keys, `there are: ${keys.join(', ')}`, '');
}

function unknownName(name: string, names: readonly string[], there: string, command: string): Error {
  const shown = /\d{6}/.test(name) ? 'that name' : name.slice(0, 40);
  return fail('USAGE', { why: `--json and --select: there is no field ${shown}${suggest(name, names)}; ${there}`, command });
}
