import { fail, type PaycliError } from '../../errors/index.js';
import { type Assume, kindOf, type Operation } from '../../spec/index.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { equalInConstantTime } from '../constant-time.js';
import { keyFingerprint } from '../keys/rsa-keys.js';
import { type ControlEncoding, controlChecksum, controlEncoding } from './control-checksum.js';
import {
  type ControlSlot,
  type ControlStages,
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
  const { row, endpointId, values } = unsigned;
  const slots = slotNames(unsigned).map((name): ControlSlot => {
    const given = values[name] ?? '';
    // A06: a value left out is an empty text. A value that is there and not converted would be signed as none at all.
    if (unconverted(row, name, given, unsigned.minor))
      throw fail('INTERNAL', {
        why: 'the amount to sign was not converted to minor units',
        how: 'report this',
        sent: 'nothing was sent',
      });
    return slot(row, name, { login, endpointId, minor: unsigned.minor, given });
  });
  const encoding = controlEncoding(assume);
  const digest = checksum(slots, controlKey.open(), encoding);
  const pairs: Pair[] = [...unsigned.pairs, ['control', digest]];
  const stages = stagesOf(slots, keyFingerprint(controlKey.open()), encoding, digest);
  return { url: unsigned.url, pairs, headers: plainHeaders, body: encodeForm(pairs), stages };
}

function stagesOf(
  slots: readonly ControlSlot[],
  fingerprint: string,
  encoding: ControlEncoding,
  digest: string,
): ControlStages {
  const string = slots.map((each) => each.value).join('');
  return {
    scheme: 'control',
    slots,
    string,
    length: Buffer.byteLength(string, 'utf8'),
    keyFingerprint: fingerprint,
    encoding,
    digest,
  };
}

function verify(received: Received, merchant: Merchant, assume: Assume): Verdict {
  const { row, endpointId, pairs } = received;
  const encoding = controlEncoding(assume);
  const recipe = () => controlRecipe(row, slotNames(received), encoding);
  const given = firstValue(pairs, 'control') ?? '';
  if (given === '') return refused('control-missing', `the field control is missing; it must be ${recipe()}`);
  for (const wire of ['control', ...slotNames(received).map((name) => wireName(row, name))]) {
    // Two values for one name: which of them was signed is anybody's guess.
    if (isRepeated(pairs, wire)) return refused('control-wrong', `the field ${wire} was sent more than once`);
  }
  const { login } = merchant;
  const slots: ControlSlot[] = [];
  for (const name of slotNames(received)) {
    const sent = firstValue(pairs, wireName(row, name)) ?? '';
    if (unconverted(row, name, sent, received.minor))
      return refused('control-wrong', `${wireName(row, name)} is not an amount`);
    slots.push(slot(row, name, { login, endpointId, minor: received.minor, given: sent }));
  }
  const digest = checksum(slots, merchant.controlKey.open(), encoding);
  return equalInConstantTime(digest, given)
    ? { ok: true }
    : refused('control-wrong', `control does not match; it must be ${recipe()}`);
}

/** The recipe in words, with wire names: what the checksum of an operation is made of. */
export function controlRecipe(row: Operation, names: readonly string[], encoding: ControlEncoding): string {
  const words = names.map((name) =>
    isAmount(row, name) ? `${wireName(row, name)} in minor units` : wireName(row, name),
  );
  return `SHA-1 over ${words.join(', ')} and the merchant control key without separators, encoded as ${written[encoding]}`;
}

const written: Readonly<Record<ControlEncoding, string>> = {
  'hex-lower': '40 lower-case hexadecimal characters',
  'hex-upper': '40 upper-case hexadecimal characters',
  base64: 'Base64',
};

interface SlotSources {
  readonly login: string;
  readonly endpointId: string;
  readonly minor: string | undefined;
  readonly given: string;
}

function slot(row: Operation, name: string, sources: SlotSources): ControlSlot {
  const field = row.fields[name];
  const wire = wireName(row, name);
  if (name === 'login' || name === 'endpointId') return { name, wire, value: sources[name], secret: false };
  const value = isAmount(row, name) && sources.given !== '' ? (sources.minor ?? '') : sources.given;
  const secrecy = field === undefined ? 'open' : kindOf(field.kind).secrecy;
  return { name, wire, value, secret: secrecy === 'card' || secrecy === 'secret' };
}

function slotNames(request: Unsigned | Received): readonly string[] {
  return request.protection.scheme === 'control' ? request.protection.values : [];
}

function isAmount(row: Operation, name: string): boolean {
  return row.fields[name]?.kind === 'amount';
}

function unconverted(row: Operation, name: string, given: string, minor: string | undefined): boolean {
  return isAmount(row, name) && given !== '' && minor === undefined;
}

// `login` may be a field of the row as well (A05); the endpoint id stands in the path.
function wireName(row: Operation, name: string): string {
  return row.fields[name]?.wire ?? name;
}

function firstValue(pairs: readonly Pair[], wire: string): string | undefined {
  return pairs.find((pair) => pair[0] === wire)?.[1];
}

function isRepeated(pairs: readonly Pair[], wire: string): boolean {
  let count = 0;
  for (const pair of pairs) if (pair[0] === wire) count += 1;
  return count > 1;
}

function checksum(slots: readonly ControlSlot[], key: string, encoding: ControlEncoding): string {
  return controlChecksum(
    slots.map((each) => each.value),
    key,
    { encoding },
  );
}

/** What a control checksum needs. */
export function controlKeyMissing(): PaycliError {
  return fail('PROFILE_INCOMPLETE', {
    name: 'in use',
    lacking: 'a control key',
    how: 'control-key in the profile',
  });
}
