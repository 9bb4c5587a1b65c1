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
import { cardNumbersIn, hidden } from '../../../wire/mask.js';
import { printable } from '../../../wire/redact.js';
import { composeForOrder } from '../../core/order-query.js';
import type { OrderIds } from '../../core/order-requests.js';
import { columns } from '../../format/columns.js';
import type { Layout } from '../../format/document.js';
import { presentValues } from '../../format/request.js';
import { presentStages, recipeWords } from '../../format/signature-stages.js';
import type { Session } from '../../session.js';

/** One signed value, as far as the journal has it. */
interface SignedValue {
  readonly name: string;
  /** Null where it is not stored. */
  readonly value: string | null;
  readonly remark: string;
}

/** What a request in the journal was signed over, under the current assumptions. Card data is never stored. */
export function signedEntry(request: Request, assume: Assume) {
  const { id: entry, operation } = request;
  const row = allOperations.find(({ id }) => id === operation);
  if (row === undefined) {
    const recipe = 'sent with `paycli request`; how it was signed is not stored';
    return { entry, operation, command: operation, path: operation, scheme: 'by hand', recipe, slots: [] };
  }
  const protection = protectionOf(row, assume);
  return {
    ...{ entry, operation, command: row.command, path: row.path, scheme: protection.scheme },
    recipe: recipeWords(row, protection, assume),
    slots: signedValues(row, protection, request, assume),
  };
}

function signedValues(row: Operation, protection: PlainProtection, request: Request, assume: Assume): SignedValue[] {
  const { endpoint: endpointId, login, clientOrderId, orderId, sum } = request;
  const ids = { endpointId, login, clientOrderId, orderId, currency: sum?.currency };
  switch (protection.scheme) {
    case 'none':
      return [];
    case 'control':
      return protection.values.map((key) =>
        signedValue(key, row.fields[key], { ...ids, amount: sum?.minor }[key as string], request),
      );
    default: {
      // A03, A04: the amount as in the body.
      const isMinor = assume['body-amount'] === 'minor';
      const amount = sum && (isMinor ? sum.minor : decimalText(BigInt(sum.minor), sum.digits));
      const known: Readonly<Record<string, string | undefined>> = { ...ids, amount };
      const made = { value: null, remark: 'new each time; not stored' };
      return [
        ...fieldsInForce(row, assume).map(([key, field]) => signedValue(key, field, known[key], request)),
        { name: 'oauth_nonce', ...made },
        { name: 'oauth_timestamp', ...made },
      ];
    }
  }
}

function signedValue(
  key: string,
  field: Field | undefined,
  value: string | undefined,
  { sum, card4 }: Request,
): SignedValue {
  const name = field?.wire ?? key;
  if (value !== undefined) return { name, value, remark: '' };
  if (sum === undefined && (key === 'amount' || key === 'currency'))
    return { name, value: '', remark: 'the request had none' };
  const secrecy = field === undefined ? 'open' : kindOf(field.kind).secrecy;
  const isCard = secrecy === 'card' || secrecy === 'secret';
  // The end of the card number is stored with every request that had one.
  if (isCard && card4 === undefined) return { name, value: null, remark: 'the request had none' };
  return { name, value: null, remark: isCard ? 'card data; never stored' : 'not stored, nor whether it was sent' };
}

/** The same for people. */
export function signedText({ entry, operation, path, recipe, slots }: ReturnType<typeof signedEntry>): string {
  const rows = slots.map(({ name, value, remark }) => [
    `  ${printable(name)}`,
    value === null ? remark : value === '' ? `(empty) ${remark}` : printable(value),
  ]);
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
