import { isPaycliError } from '../../../errors/index.js';
import type { Request } from '../../../journal/port.js';
import { newNonceAndTimestamp } from '../../../payments/exchange.js';
import type { Paint, Runtime } from '../../../runtime/ports.js';
import { requestSigning, type SignatureStages, type Unsigned } from '../../../signing/index.js';
import {
  type Assume,
  allOperations,
  type Field,
  kindOf,
  type Operation,
  type PlainProtection,
  statusQuery,
} from '../../../spec/index.js';
import { decimalText } from '../../../wire/amount.js';
import { fieldsInForce, protectionOf } from '../../../wire/check.js';
import { cardNumbersIn, hidden, maskedEnding } from '../../../wire/mask.js';
import { printable } from '../../../wire/redact.js';
import { composeForOrder } from '../../core/order-query.js';
import type { OrderIds } from '../../core/order-requests.js';
import { columns } from '../../format/columns.js';
import type { Layout } from '../../format/document.js';
import { presentValues } from '../../format/request.js';
import { presentStages, recipeWords } from '../../format/signature-stages.js';
import type { Session } from '../../session.js';

/** The values of a request that the journal has, by field key, in the form of the body. */
type KnownValues = Readonly<Record<string, string | undefined>>;

/** One signed value, as far as the journal has it. */
interface SignedValue {
  readonly name: string;
  /** Null where it is not stored. */
  readonly value: string | null;
  readonly remark: string;
}

interface SignedEntry {
  readonly entry: number;
  readonly operation: string;
  readonly command: string;
  readonly path: string;
  readonly scheme: string;
  readonly recipe: string;
  readonly slots: readonly SignedValue[];
  /** What the request had besides, as far as the journal has it. */
  readonly others: readonly SignedValue[];
}

/** What a request in the journal was signed over, under the current assumptions. Card data is never stored. */
export function signedEntry(request: Request, assume: Assume): SignedEntry {
  const row = allOperations.find(({ id }) => id === request.operation);
  const { id: entry, operation } = request;
  if (row === undefined)
    return {
      entry,
      operation,
      command: operation,
      path: operation,
      scheme: 'by hand',
      recipe: 'sent with `paycli request`; how it was signed is not stored',
      slots: [],
      others: [],
    };
  const protection = protectionOf(row, assume);
  const slots = slotsOf(row, protection, request, assume);
  return {
    entry,
    operation,
    command: row.command,
    path: row.path,
    scheme: protection.scheme,
    recipe: recipeWords(row, protection, assume),
    slots,
    others: othersOf(row, slots, request, assume),
  };
}

/** The fields that are not signed: those that every such request has, and those the journal knows. */
function othersOf(
  row: Operation,
  slots: readonly SignedValue[],
  request: Request,
  assume: Assume,
): readonly SignedValue[] {
  const known = bodyValues(request, assume);
  const fields = fieldsInForce(row, assume).filter(
    ([key, field]) =>
      (field.need === 'required' || known[key] !== undefined) && !slots.some(({ name }) => name === field.wire),
  );
  return fields.map((keyed) => {
    const [key] = keyed;
    const slot = slotOf(row, keyed, known, request);
    if (key !== 'cardNumber' || request.card4 === undefined) return slot;
    return { ...slot, remark: `${maskedEnding(request.card4)}; the rest is card data and never stored` };
  });
}

function slotsOf(row: Operation, protection: PlainProtection, request: Request, assume: Assume): SignedValue[] {
  if (protection.scheme === 'none') return [];
  if (protection.scheme === 'control') {
    const known = { ...idsOf(request), amount: request.sum?.minor };
    return protection.values.map((key) => slotOf(row, [key, row.fields[key]], known, request));
  }
  const known = bodyValues(request, assume);
  const made = ['oauth_nonce', 'oauth_timestamp'].map((name) => ({
    name,
    value: null,
    remark: 'new each time; not stored',
  }));
  return [...fieldsInForce(row, assume).map((field) => slotOf(row, field, known, request)), ...made];
}

function idsOf({ endpoint: endpointId, login, clientOrderId, orderId, sum }: Request): KnownValues {
  return { endpointId, login, clientOrderId, orderId, currency: sum?.currency };
}

/** The values of a request as its body had them, as far as the journal has them. */
function bodyValues(request: Request, assume: Assume): KnownValues {
  return { ...idsOf(request), amount: bodyAmount(request, assume) };
}

/** A03, A04: the amount as in the body. */
function bodyAmount({ sum }: Request, assume: Assume): string | undefined {
  if (sum === undefined || assume['body-amount'] === 'minor') return sum?.minor;
  return decimalText(BigInt(sum.minor), sum.digits);
}

function slotOf(
  row: Operation,
  [key, field]: readonly [string, Field | undefined],
  known: KnownValues,
  { sum, card4 }: Request,
): SignedValue {
  const name = field?.wire ?? key;
  const value = known[key];
  if (value !== undefined) return { name, value, remark: '' };
  if (sum === undefined && (key === 'amount' || key === 'currency'))
    return { name, value: '', remark: 'the request had none' };
  // The end of the card number is stored with every request that had one.
  if (card4 === undefined && (key === 'cardNumber' || isOnlyWithCard(key, row)))
    return { name, value: null, remark: 'the request had none' };
  const secrecy = field === undefined ? 'open' : kindOf(field.kind).secrecy;
  const isCard = secrecy === 'card' || secrecy === 'secret';
  const unless = field?.need === 'optional' && key !== 'cardNumber' ? ', nor whether it was sent' : '';
  return { name, value: null, remark: `${isCard ? 'card data; never stored' : 'not stored'}${unless}` };
}

/** True for what the rules of the operation allow only beside a card number. */
function isOnlyWithCard(key: string, { rules }: Operation): boolean {
  return rules.some(
    (rule) => rule.rule === 'onlyWith' && rule.field === key && rule.others.every((other) => other === 'cardNumber'),
  );
}

/** The same for people. */
export function signedText({ entry, operation, path, recipe, slots, others }: SignedEntry): string {
  const besides = others.length === 0 ? '' : `  Not signed\n${columns(others.map(rowOf))}`;
  return `Entry ${entry}  ${operation}  POST ${printable(path)}\n  ${recipe}\n${columns(slots.map(rowOf))}${besides}`;
}

function rowOf({ name, value, remark }: SignedValue): readonly string[] {
  const text = value === null ? remark : value === '' ? `(empty) ${remark}` : printable(value);
  return [`  ${printable(name)}`, text];
}

interface StatusQuestion {
  readonly document: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Numbers that only result from joining values without separators. */
  readonly joined: readonly string[];
}

/** A status request for the order as it would be signed now, with every stage but the result; nothing is sent. */
export async function statusQuestion(
  order: OrderIds,
  session: Session,
  runtime: Runtime,
  paint: Paint,
): Promise<StatusQuestion> {
  const unsigned = composeForOrder(statusQuery.id, { ...order }, session);
  try {
    const credentials = await session.credentials(unsigned.protection);
    const { stages } = requestSigning.sign(unsigned, credentials, session.assume, newNonceAndTimestamp(runtime));
    return shownQuestion(unsigned, withoutResult(stages), paint);
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return {
      document: { url: unsigned.url, problem: error.message },
      text: `  cannot be signed: ${error.message}\n`,
      joined: [],
    };
  }
}

function shownQuestion(unsigned: Unsigned, stages: SignatureStages, paint: Paint): StatusQuestion {
  const { url, pairs, endpointId } = unsigned;
  const fields = pairs.map(([wire, value]) => ({
    field: wire,
    wire,
    value,
    origin: wire === 'login' ? 'the profile' : 'this order',
  }));
  const values = [{ field: 'endpointId', wire: '(path)', value: endpointId, origin: 'the profile' }, ...fields];
  // The text is written to a file, whose lines stay whole.
  const layout: Layout = { paint, columns };
  const bytes =
    stages.scheme === 'none' ? 0 : Buffer.byteLength(stages.scheme === 'control' ? stages.string : stages.baseString);
  return {
    document: { url, fields: pairs, signature: stages },
    text: `POST ${url}\n${presentValues(values, unsigned, layout)}${presentStages(stages, bytes, layout)}`,
    joined: joinedIn(stages),
  };
}

function joinedIn(stages: SignatureStages): readonly string[] {
  if (stages.scheme !== 'control') return [];
  const inValues = new Set(stages.slots.flatMap(({ value }) => cardNumbersIn(value)));
  return cardNumbersIn(stages.string).filter((number) => !inValues.has(number));
}

/** Anyone with the signature could send this request in the merchant's name. */
function withoutResult(stages: SignatureStages): SignatureStages {
  if (stages.scheme === 'none') return stages;
  return stages.scheme === 'control' ? { ...stages, digest: hidden } : { ...stages, signature: hidden, header: hidden };
}
