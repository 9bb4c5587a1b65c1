import { isPaycliError } from '../../../errors/index.js';
import type { Intent } from '../../../journal/index.js';
import { newNonceAndTimestamp } from '../../../payments/nonce.js';
import type { Paint, Runtime } from '../../../runtime/ports.js';
import { requestSigning, type SignatureStages, type Unsigned } from '../../../signing/index.js';
import {
  type Assume,
  allOperations,
  type Field,
  kindOf,
  type Operation,
  type PlainProtection,
} from '../../../spec/index.js';
import { decimalText, digitsOf } from '../../../wire/amount.js';
import { fieldsInForce, protectionOf } from '../../../wire/check-request.js';
import { hidden } from '../../../wire/mask.js';
import { printable } from '../../../wire/redact.js';
import { composeForOrder } from '../../core/order-query.js';
import type { OrderIds } from '../../core/order-requests.js';
import type { Session } from '../../core/session.js';
import { presentValues } from '../../format/request.js';
import { presentStages, recipeWords } from '../../format/signature-stages.js';
import { columns } from '../../format/table.js';
import { numbersIn } from './scan.js';

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
  readonly path: string;
  readonly scheme: string;
  readonly recipe: string;
  readonly slots: readonly SignedValue[];
}

/** What a request in the journal was signed over, under the current assumptions. Card data is never stored. */
export function signedEntry(intent: Intent, assume: Assume): SignedEntry {
  const row = allOperations.find(({ id }) => id === intent.operation);
  const { id: entry, operation } = intent;
  if (row === undefined)
    return {
      entry,
      operation,
      path: operation,
      scheme: 'by hand',
      recipe: 'sent with `paycli request`; how it was signed is not stored',
      slots: [],
    };
  const protection = protectionOf(row, assume);
  const slots = slotsOf(row, protection, intent, assume);
  return {
    entry,
    operation,
    path: row.path,
    scheme: protection.scheme,
    recipe: recipeWords(row, protection, assume),
    slots,
  };
}

function slotsOf(row: Operation, protection: PlainProtection, intent: Intent, assume: Assume): SignedValue[] {
  if (protection.scheme === 'none') return [];
  if (protection.scheme === 'control') {
    const known = { ...idsOf(intent), amount: intent.sum?.minor };
    return protection.values.map((key) => slotOf(key, row.fields[key], known, intent));
  }
  const known = { ...idsOf(intent), amount: bodyAmount(intent, assume) };
  const made = ['oauth_nonce', 'oauth_timestamp'].map((name) => ({
    name,
    value: null,
    remark: 'new each time; not stored',
  }));
  return [...fieldsInForce(row, assume).map(([key, field]) => slotOf(key, field, known, intent)), ...made];
}

type KnownValues = Readonly<Record<string, string | undefined>>;

function idsOf({ endpointId, login, clientOrderId, orderId, sum }: Intent): KnownValues {
  return { endpointId, login, clientOrderId, orderId, currency: sum?.currency };
}

/** A03, A04: the amount as in the body. */
function bodyAmount({ sum, endpointId }: Intent, assume: Assume): string | undefined {
  if (sum === undefined || assume['body-amount'] === 'minor') return sum?.minor;
  return decimalText(BigInt(sum.minor), sum.digits ?? digitsOf(sum.currency, assume['minor-digits'], endpointId) ?? 0);
}

function slotOf(key: string, field: Field | undefined, known: KnownValues, { sum }: Intent): SignedValue {
  const name = field?.wire ?? key;
  const secrecy = field === undefined ? 'open' : kindOf(field.kind).secrecy;
  if (secrecy === 'card' || secrecy === 'secret') return { name, value: null, remark: 'card data; never stored' };
  const value = known[key];
  if (value !== undefined) return { name, value, remark: '' };
  if (sum === undefined && (key === 'amount' || key === 'currency'))
    return { name, value: '', remark: 'the request had none' };
  return {
    name,
    value: null,
    remark: field?.need === 'optional' ? 'not stored, nor whether it was sent' : 'not stored',
  };
}

/** The same for people. */
export function signedText({ entry, operation, path, recipe, slots }: SignedEntry): string {
  const rows = slots.map(({ name, value, remark }) => {
    const text = value === null ? remark : value === '' ? `(empty) ${remark}` : printable(value);
    return [`  ${printable(name)}`, text];
  });
  return `Entry ${entry}  ${operation}  POST ${printable(path)}\n  ${recipe}\n${columns(rows)}`;
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
  const unsigned = composeForOrder('STATUS', { ...order }, session);
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
  const bytes =
    stages.scheme === 'none' ? 0 : Buffer.byteLength(stages.scheme === 'control' ? stages.string : stages.baseString);
  return {
    document: { url, fields: pairs, signature: stages },
    text: `POST ${url}\n${presentValues(values, unsigned, paint)}${presentStages(stages, bytes, true, paint)}`,
    joined: joinedIn(stages),
  };
}

function joinedIn(stages: SignatureStages): readonly string[] {
  if (stages.scheme !== 'control') return [];
  const inValues = new Set(stages.slots.flatMap(({ value }) => numbersIn(value)));
  return numbersIn(stages.string).filter((number) => !inValues.has(number));
}

/** Anyone with the signature could send this request in the merchant's name. */
function withoutResult(stages: SignatureStages): SignatureStages {
  if (stages.scheme === 'none') return stages;
  return stages.scheme === 'control' ? { ...stages, digest: hidden } : { ...stages, signature: hidden, header: hidden };
}
