import { createHash, createHmac } from 'node:crypto';
import { decimalText, minorText } from '../../wire/amount.js';
import { listMerchants } from '../merchants.js';
import type { Checked } from '../request.js';
import type { Store } from '../store.js';
import type { Sighting } from './seen.js';

/** One way to make a checksum. */
interface Attempt {
  /** Everything that is hashed, key included. */
  readonly text: string;
  /** What may stand in the field then. */
  written(text: string): readonly string[];
  readonly mistakes: readonly Sighting[];
}

/** A part of the recipe done wrongly; without a mistake it is done right. */
interface Way<Part> {
  readonly part: Part;
  readonly mistake?: Sighting;
}

interface Slot {
  readonly wire: string;
  readonly value: string;
}

/** Wrong recipes, those with one mistake first, then those with two. */
export function* attempts(checked: Checked, store: Store): Generator<Attempt> {
  const values = valueWays(checked);
  const keys = keyWays(checked, store);
  const writers = writerWays(checked.merchant.controlKey);
  const [rightValues, rightKey, rightWriter] = [values.slice(0, 1), keys.slice(0, 1), writers.slice(0, 1)];
  yield* combined(values, rightKey, rightWriter);
  yield* combined(rightValues, keys, rightWriter);
  yield* combined(rightValues, rightKey, writers);
  yield* combined(values, keys, rightWriter);
  yield* combined(values, rightKey, writers);
  yield* combined(rightValues, keys, writers);
}

type Writer = Attempt['written'];

function* combined(values: readonly Way<string>[], keys: readonly Way<string>[], writers: readonly Way<Writer>[]): Generator<Attempt> {
  for (const value of values)
    for (const key of keys)
      for (const writer of writers) {
        const mistakes = [value.mistake, key.mistake, writer.mistake].filter((mistake) => mistake !== undefined);
        if (mistakes.length > 0) yield { text: value.part + key.part, written: writer.part, mistakes };
      }
}

function valueWays(checked: Checked): Way<string>[] {
  const slots = slotsOf(checked);
  const joined = (list: readonly Slot[]) => list.map(({ value }) => value).join('');
  const right = joined(slots);
  const way = (rule: Sighting['rule'], list: readonly Slot[], detail: string): Way<string> => ({
    part: joined(list),
    mistake: { rule, detail },
  });
  const replaced = (wire: string, value: string) => slots.map((slot) => (slot.wire === wire ? { wire, value } : slot));
  const ways = [
    ...decimals(checked).map((text) => way('control-decimals', replaced('amount', text), 'amount with a decimal point')),
    ...slots
      .filter(({ value }) => value !== '')
      .map((left) => way('control-value-missing', without(slots, left), `${left.wire} was left out`)),
    way('control-encoded', encoded(slots), 'percent-encoded values'),
    ...permutations(slots).map((list) => way('control-order', list, list.map(({ wire }) => wire).join(', '))),
    ...extras(checked, slots).map(([list, wire]) => way('control-value-extra', list, `${wire} does not belong in it`)),
  ];
  return [{ part: right }, ...ways.filter(({ part }) => part !== right)];
}

function slotsOf({ protection, route, merchant, pairs, amount }: Checked): Slot[] {
  const names = protection.scheme === 'control' ? protection.values : [];
  return names.map((name) => {
    const field = route.row.fields[name];
    const wire = field?.wire ?? name;
    if (name === 'login') return { wire, value: merchant.login };
    if (name === 'endpointId') return { wire, value: route.endpointId };
    const sent = pairs.find(([each]) => each === wire)?.[1] ?? '';
    return { wire, value: field?.kind === 'amount' && amount !== undefined ? minorText(amount) : sent };
  });
}

function decimals({ pairs, amount, digits }: Checked): string[] {
  if (amount === undefined) return [];
  const sent = pairs.find(([name]) => name === 'amount')?.[1] ?? '';
  const whole = decimalText(amount, digits);
  // As sent, in full, and as languages print the number.
  return [...new Set([sent, whole, String(Number(whole)), `${whole.split('.')[0]}.00`, whole.replace('.', ',')])];
}

function without(slots: readonly Slot[], left: Slot): Slot[] {
  return slots.filter((slot) => slot !== left);
}

function encoded(slots: readonly Slot[]): Slot[] {
  return slots.map(({ wire, value }) => ({ wire, value: encodeURIComponent(value) }));
}

/** All orders but the right one. At most five values stand in a checksum. */
function permutations(slots: readonly Slot[]): Slot[][] {
  const all = (rest: readonly Slot[]): Slot[][] =>
    rest.length === 0 ? [[]] : rest.flatMap((first) => all(without(rest, first)).map((others) => [first, ...others]));
  return all(slots);
}

function extras({ merchant, route, pairs }: Checked, slots: readonly Slot[]): [Slot[], string][] {
  const has = (wire: string) => slots.some((slot) => slot.wire === wire);
  const currency = pairs.find(([name]) => name === 'currency')?.[1] ?? '';
  const candidates: Slot[] = [
    { wire: 'currency', value: currency },
    { wire: 'login', value: merchant.login },
    { wire: 'endpointId', value: route.endpointId },
  ];
  return candidates
    .filter(({ wire, value }) => value !== '' && !has(wire))
    .flatMap((extra) =>
      [...slots, extra].map((_, at): [Slot[], string] => [[...slots.slice(0, at), extra, ...slots.slice(at)], extra.wire]),
    );
}

function keyWays({ merchant }: Checked, store: Store): Way<string>[] {
  const { controlKey, login } = merchant;
  const others = listMerchants(store).filter((other) => other.login !== login);
  const newline = { rule: 'control-key-newline', detail: 'a line end after the key' } as const;
  return [
    { part: controlKey },
    { part: `${controlKey}\n`, mistake: newline },
    { part: `${controlKey}\r\n`, mistake: newline },
    { part: '', mistake: { rule: 'control-key-wrong', detail: 'no key at all' } },
    ...others.map(
      (other): Way<string> => ({
        part: other.controlKey,
        mistake: { rule: 'control-key-wrong', detail: `the key of the merchant ${other.login}` },
      }),
    ),
  ];
}

function writerWays(key: string): Way<Writer>[] {
  const hex = (name: string) => (text: string) => createHash(name).update(text, 'utf8').digest('hex');
  const bytes = (text: string) => createHash('sha1').update(text, 'utf8').digest();
  const otherHash = (detail: string) => ({ rule: 'control-hash', detail }) as const;
  // The key is the key of an HMAC then, not the end of the text.
  const cut = (text: string) => (text.endsWith(key) ? text.slice(0, -key.length) : text);
  return [
    { part: (text) => [hex('sha1')(text)] },
    { part: (text) => [hex('sha1')(text).toUpperCase()], mistake: { rule: 'control-upper-case', detail: 'upper-case hexadecimal' } },
    {
      part: (text) => [
        bytes(text).toString('base64'),
        bytes(text).toString('base64url'),
        Buffer.from(hex('sha1')(text)).toString('base64'),
      ],
      mistake: { rule: 'control-base64', detail: 'Base64 instead of hexadecimal' },
    },
    { part: (text) => [hex('sha256')(text)], mistake: otherHash('SHA-256') },
    { part: (text) => [hex('md5')(text)], mistake: otherHash('MD5') },
    { part: (text) => [createHmac('sha1', key).update(cut(text), 'utf8').digest('hex')], mistake: otherHash('HMAC-SHA1') },
  ];
}
