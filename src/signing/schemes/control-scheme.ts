import { fail, type PaycliError } from '../../errors/index.js';
import { type Assume, kindOf, type Operation } from '../../spec/index.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { equalInConstantTime } from '../constant-time.js';
import { keyFingerprint } from '../keys/rsa-keys.js';
import { type ControlEncoding, controlChecksum, controlEncoding } from './control-checksum.js';
import {
  type ControlSlot,
  type Credentials,
  type Merchant,
  plainHeaders,
  type Received,
  refused,
  type Scheme,
  type SignedRequest,
  type Unsigned,
  type Verdict,
} from './request.js';

/** Scheme 1 of the interface: a field `control` in the body. */
export const controlScheme: Scheme = { sign, verify };

function sign(unsigned: Unsigned, credentials: Credentials, assume: Assume): SignedRequest {
  const { controlKey, login } = credentials;
  if (controlKey === undefined) throw controlKeyMissing();
  const slots = slotNames(unsigned).map((name): ControlSlot => {
    const made = slot(unsigned, name, login, unsigned.values[name] ?? '');
    if (made !== undefined) return made;
    const why = 'the amount to sign was not converted to minor units';
    throw fail('INTERNAL', { why, how: 'report this', sent: 'nothing was sent' });
  });
  const encoding = controlEncoding(assume);
  const signedTexts = slots.map(({ value }) => value);
  const string = signedTexts.join('');
  const digest = controlChecksum(signedTexts, controlKey.open(), { encoding });
  const pairs: Pair[] = [...unsigned.pairs, ['control', digest]];
  return {
    ...{ url: unsigned.url, pairs, headers: plainHeaders, body: encodeForm(pairs) },
    stages: {
      ...{ scheme: 'control', slots, string, encoding, digest },
      length: Buffer.byteLength(string, 'utf8'),
      keyFingerprint: keyFingerprint(controlKey.open()),
    },
  };
}

function verify(received: Received, merchant: Merchant, assume: Assume): Verdict {
  const { row, pairs } = received;
  const encoding = controlEncoding(assume);
  const recipe = () => controlRecipe(row, slotNames(received), encoding);
  const value = (wire: string) => pairs.find(([name]) => name === wire)?.[1] ?? '';
  const given = value('control');
  if (given === '') return refused('control-missing', `the field control is missing; it must be ${recipe()}`);
  for (const wire of ['control', ...slotNames(received).map((name) => wireName(row, name))]) {
    // Two values for one name: which of them was signed is anybody's guess.
    if (pairs.filter(([name]) => name === wire).length > 1)
      return refused('control-wrong', `the field ${wire} was sent more than once`);
  }
  const texts: string[] = [];
  for (const name of slotNames(received)) {
    const made = slot(received, name, merchant.login, value(wireName(row, name)));
    if (made === undefined) return refused('control-wrong', `${wireName(row, name)} is not an amount`);
    texts.push(made.value);
  }
  return equalInConstantTime(controlChecksum(texts, merchant.controlKey.open(), { encoding }), given)
    ? { ok: true }
    : refused('control-wrong', `control does not match; it must be ${recipe()}`);
}

/** The recipe in words, with wire names: what the checksum of an operation is made of. */
export function controlRecipe(row: Operation, names: readonly string[], encoding: ControlEncoding): string {
  const words = names.map((name) => wireName(row, name) + (isAmount(row, name) ? ' in minor units' : ''));
  return `SHA-1 over ${words.join(', ')} and the merchant control key without separators, encoded as ${written[encoding]}`;
}

const written: Readonly<Record<ControlEncoding, string>> = {
  'hex-lower': '40 lower-case hexadecimal characters',
  'hex-upper': '40 upper-case hexadecimal characters',
  base64: 'Base64',
};

/**
 * What stands in one place of the checksum; a value left out is an empty text (A06). Undefined for an amount that is
 * there and has no minor units, since it would be signed as none at all.
 */
function slot(
  { row, endpointId, minor }: Unsigned | Received,
  name: string,
  login: string,
  given: string,
): ControlSlot | undefined {
  const wire = wireName(row, name);
  if (name === 'login' || name === 'endpointId')
    return { name, wire, value: name === 'login' ? login : endpointId, secret: false };
  const value = isAmount(row, name) && given !== '' ? minor : given;
  const field = row.fields[name];
  const secrecy = field === undefined ? 'open' : kindOf(field.kind).secrecy;
  return value === undefined ? undefined : { name, wire, value, secret: secrecy === 'card' || secrecy === 'secret' };
}

function slotNames({ protection }: Unsigned | Received): readonly string[] {
  return protection.scheme === 'control' ? protection.values : [];
}

function isAmount(row: Operation, name: string): boolean {
  return row.fields[name]?.kind === 'amount';
}

// `login` may be a field of the row as well (A05); the endpoint id stands in the path.
function wireName(row: Operation, name: string): string {
  return row.fields[name]?.wire ?? name;
}

/** What a control checksum needs. */
export function controlKeyMissing(): PaycliError {
  const facts = { name: 'in use', lacking: 'a control key', how: 'control-key in the profile' };
  return fail('PROFILE_INCOMPLETE', facts);
}
