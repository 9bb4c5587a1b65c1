import { type Pair, percentEncode } from '../../wire/form.js';
import { encodePairs } from '../schemes/oauth1.js';
import type { OauthMistakeName } from './diagnosis.js';
import { encodedBeforeMistakes, encoderMistakes } from './encoder-mistakes.js';
import { inFields } from './encoding-mistakes.js';
import { fieldSets } from './field-sets.js';
import type { MistakeSource } from './mistake-sources.js';
import {
  type BaseStringMistake,
  type OauthParts,
  parametersOf,
  parametersWith,
  type SignedParameter,
  wrong,
} from './oauth-parts.js';
import { rareAddresses } from './rare-addresses.js';
import { safeCharacterMistakes } from './safe-characters.js';
import { wholeTexts } from './whole-texts.js';
import { escapes } from './writings/escapes.js';
import { type ListWriting, listWritings, mapWritings } from './writings/lists.js';
import { nothingWords } from './writings/nothing.js';
import { numberSpellings } from './writings/numbers.js';
import { blanks, cases, letters, printedBytes, wrappings } from './writings/texts.js';
import { cutValues, encodedValues, maskedValues, otherCharacters } from './writings/value-changes.js';
import type { Writing } from './writings/writing.js';
import { bodyNames, nameMistakes, scopes, shown } from './written-names.js';

/**
 * What clients make of values and of whole requests before they sign them. Few texts come of each of these, so that
 * they are tried before pairs of mistakes.
 */
export const fewPrintedMistakes: readonly MistakeSource[] = [
  safeCharacterMistakes,
  allValues,
  lists,
  printedParameters,
  nothings,
  amounts,
  nameMistakes,
  fieldValues,
  encodedBeforeMistakes,
  listsOfOne,
];

/** The same, with many texts each, for when nothing else explains. */
export const manyPrintedMistakes: readonly MistakeSource[] = [
  fieldSets,
  encoderMistakes,
  maps,
  rareAddresses,
  wholeTexts,
];

interface Group {
  readonly name: OauthMistakeName;
  readonly list: readonly Writing[];
}

const groups: readonly Group[] = [
  // Before what keeps only some characters, which leaves out spaces as well.
  { name: 'space-plus', list: blanks },
  { name: 'encoded-twice-or-once', list: escapes() },
  { name: 'not-utf8', list: letters },
  { name: 'reserved-characters', list: cases },
  { name: 'encoded-twice-or-once', list: wrappings },
  { name: 'not-utf8', list: printedBytes },
  { name: 'encoded-twice-or-once', list: encodedValues },
  { name: 'body-left-out', list: cutValues },
  { name: 'not-utf8', list: otherCharacters },
  { name: 'body-left-out', list: maskedValues },
];

interface WrittenValues {
  readonly name: OauthMistakeName;
  readonly variant: string;
  readonly detail: string;
  /** Encoded, in the order of the parameters. */
  readonly values: readonly string[];
}

const written = new WeakMap<OauthParts, readonly WrittenValues[]>();

/** The values in each of the writings that changes some of them, once for all the ways in which they are signed. */
function writtenValues(parts: OauthParts): readonly WrittenValues[] {
  const known = written.get(parts);
  if (known !== undefined) return known;
  const seen = new Set([parts.ordered.map(({ encoded }) => encoded[1]).join('&')]);
  const made = groups.flatMap(({ name, list }) =>
    list.flatMap(({ variant, detail, write }) => {
      const values = parts.ordered.map(({ plain }) => percentEncode(write(plain[1]).toWellFormed()));
      const all = values.join('&');
      if (seen.has(all)) return [];
      seen.add(all);
      return [{ name, variant, detail, values }];
    }),
  );
  written.set(parts, made);
  return made;
}

function* allValues(parts: OauthParts): Generator<BaseStringMistake> {
  // Those of one field are likelier, and encoders before the right one have a search of their own.
  for (const isDue of scopes)
    for (const { name, variant, detail, values } of writtenValues(parts))
      if (variant !== 'encoded')
        yield valuesMistake({ name, variant, detail }, parts.ordered, (item, at) =>
          isDue(item) ? (values[at] ?? '') : item.encoded[1],
        );
}

function valuesMistake(
  { name, variant, detail }: Pick<WrittenValues, 'name' | 'variant' | 'detail'>,
  ordered: readonly SignedParameter[],
  written: (item: SignedParameter, at: number) => string,
): BaseStringMistake {
  const changed: string[] = [];
  const pairs = ordered.map((item, at): Pair => {
    const value = written(item, at);
    if (value === item.encoded[1]) return item.encoded;
    changed.push(item.plain[0]);
    return [item.encoded[0], value];
  });
  const words = `values signed ${detail}${inFields(changed)}; they must be signed as they are sent`;
  return wrong(name, `values-${variant}`, words, { parameters: parametersOf(pairs) });
}

/** Equal names as a list that was printed. */
function* lists({ items }: OauthParts): Generator<BaseStringMistake> {
  const all = grouped(items.map(({ plain }) => plain));
  if (![...all.values()].some((values) => values.length > 1)) return;
  for (const writing of listWritings)
    yield listMistake(
      writing,
      encodePairs(
        [...all].map(([name, values]): Pair => [name, values.length > 1 ? writing.print(values) : (values[0] ?? '')]),
      ),
    );
}

/** Every value of the body as a list of one. Where that changes a single value, quotes around it are likelier. */
function* listsOfOne({ items }: OauthParts): Generator<BaseStringMistake> {
  const rest = items.filter(({ from }) => from !== 'body').map(({ encoded }) => encoded);
  const body = grouped(items.filter(({ from }) => from === 'body').map(({ plain }) => plain));
  for (const writing of listWritings)
    yield listMistake(writing, [
      ...rest,
      ...encodePairs([...body].map(([name, values]): Pair => [name, writing.print(values)])),
    ]);
}

function listMistake({ variant, detail }: ListWriting, pairs: readonly Pair[]): BaseStringMistake {
  return wrong('repeated-or-nested-names', variant, `values signed ${detail}; each must be signed as it is sent`, {
    parameters: parametersOf(pairs),
  });
}

function grouped(pairs: readonly Pair[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of pairs) found.set(name, [...(found.get(name) ?? []), value]);
  return found;
}

/** The body as one printed map: as a name, as the value of a name, or as one pair each. */
function* maps({ items }: OauthParts): Generator<BaseStringMistake> {
  const rest = items.filter(({ from }) => from !== 'body').map(({ encoded }) => encoded);
  const body = items.filter(({ from }) => from === 'body').map(({ plain }) => plain);
  if (body.length === 0) return;
  const once = [...new Map(body)];
  const withPair = parametersWith(rest);
  const made = (detail: string, parameters: string) =>
    wrong('body-left-out', 'map-printed', `the body signed ${detail}; each field must be signed as it is sent`, {
      parameters,
    });
  for (const { detail, print } of mapWritings)
    for (const text of new Set([print(once), print(body)])) {
      const encoded = percentEncode(text);
      const element = percentEncode(encoded);
      yield made(detail, withPair([encoded, ''], `${element}%3D`));
      for (const name of ['', ...bodyNames]) yield made(detail, withPair([name, encoded], `${name}%3D${element}`));
    }
  for (const { detail, print } of mapWritings)
    yield made(detail, parametersOf([...rest, ...encodePairs(body.map((pair): Pair => [print([pair]), '']))]));
}

/** All parameters as one printed map in the place of the joined ones. */
function* printedParameters({ items }: OauthParts): Generator<BaseStringMistake> {
  const all = items.map(({ plain }) => plain);
  const body = items.filter(({ from }) => from === 'body').map(({ plain }) => plain);
  for (const { detail, print } of mapWritings)
    for (const [words, pairs] of [
      ['the parameters', all],
      ['only the fields of the body', body],
    ] as const)
      yield wrong(
        'encoded-twice-or-once',
        'joined-otherwise',
        `${words} signed ${detail}; parameters must be joined with & and =`,
        { parameters: percentEncode(print(pairs)) },
      );
}

/** Each empty value as a word for nothing. */
function* nothings({ items }: OauthParts): Generator<BaseStringMistake> {
  if (!items.some(({ plain }) => plain[1] === '')) return;
  for (const word of nothingWords)
    yield wrong('empty-values', 'word', `an empty value signed as ${JSON.stringify(word)}`, {
      parameters: parametersOf(
        items.map(({ plain, encoded }): Pair => [encoded[0], plain[1] === '' ? percentEncode(word) : encoded[1]]),
      ),
    });
}

const maxFields = 40;

/** Fields with a number, each in its spellings; the timestamp is one of them. */
function* amounts(parts: OauthParts): Generator<BaseStringMistake> {
  const currency = parts.items.find(({ plain }) => plain[0] === 'currency')?.plain[1] ?? '';
  for (const item of singleFields(parts)) {
    const isTime = item.from === 'oauth';
    if (isTime && item.plain[0] !== 'oauth_timestamp' && item.plain[0] !== 'oauth_version') continue;
    const name = item.plain[0] === 'oauth_timestamp' ? 'nonce-timestamp' : isTime ? 'empty-values' : 'body-left-out';
    const withValue = placing(parts, item);
    for (const [variant, detail, text] of numberSpellings(item.plain[1], isTime ? undefined : currency))
      yield wrong(name, `number-${variant}`, `${shown(item)} signed ${detail}; it must be signed as it is sent`, {
        parameters: withValue(percentEncode(text)),
      });
    if (item.plain[0] === 'oauth_timestamp')
      for (const [detail, text] of times(item.plain[1]))
        yield wrong('nonce-timestamp', 'date', `oauth_timestamp signed ${detail}; it must count seconds from 1970`, {
          parameters: withValue(percentEncode(text)),
        });
  }
}

/** The same moment as programs print it. */
function* times(timestamp: string): Generator<readonly [detail: string, text: string]> {
  const seconds = Number(timestamp);
  if (!/^\d{1,11}$/.test(timestamp)) return;
  const iso = new Date(seconds * 1000).toISOString();
  const [day = '', time = ''] = iso.replace('.000Z', '').split('T');
  for (const text of [
    iso,
    `${day}T${time}Z`,
    `${day}T${time}+00:00`,
    `${day}T${time}+0000`,
    `${day}T${time}`,
    `${day}T${time}.000+00:00`,
  ])
    yield ['as an ISO 8601 date and time', text];
  for (const text of [
    `${day} ${time} UTC`,
    `${day} ${time} +0000`,
    `${day} ${time} +0000 UTC`,
    `${day} ${time}`,
    `${day} ${time}+00:00`,
  ])
    yield ['as a date and time with a space in between', text];
  const date = new Date(seconds * 1000);
  yield ['as a human-readable date and time', date.toUTCString()];
  yield ['as a human-readable date and time', date.toUTCString().replace('GMT', '+0000')];
  yield ['as a human-readable date and time', date.toString()];
  yield ['as a date without a time', day];
  yield ['as a date without a time', day.replaceAll('-', '')];
  yield ['as a date and time without separators', `${day}${time}`.replace(/\D/g, '')];
  yield ['in microseconds', `${timestamp}000000`];
  yield ['in nanoseconds', `${timestamp}000000000`];
  yield ['in .NET ticks', String(BigInt(seconds) * 10_000_000n + 621_355_968_000_000_000n)];
  yield ['as a Windows file time', String((BigInt(seconds) + 11_644_473_600n) * 10_000_000n)];
  yield ['in minutes', String(Math.floor(seconds / 60))];
  yield ['in hexadecimal', seconds.toString(16)];
  yield ['from 1900', String(seconds + 2_208_988_800)];
}

/** One field alone in each of the writings. */
function* fieldValues(parts: OauthParts): Generator<BaseStringMistake> {
  for (const item of singleFields(parts)) {
    const withValue = placing(parts, item);
    const at = parts.ordered.indexOf(item);
    const isOwn = item.from === 'oauth';
    const seen = new Set([item.encoded[1]]);
    for (const { name, variant, detail, values } of writtenValues(parts)) {
      const value = values[at] ?? '';
      if (seen.has(value)) continue;
      seen.add(value);
      yield wrong(
        isOwn && /nonce|timestamp/.test(item.plain[0]) ? 'nonce-timestamp' : isOwn ? 'empty-values' : name,
        `value-${variant}`,
        `${shown(item)} signed ${detail}; it must be signed as it is sent`,
        { parameters: withValue(value) },
      );
    }
    for (const word of nothingWords)
      if (word !== item.plain[1])
        yield wrong('empty-values', 'value-word', `${shown(item)} signed as ${JSON.stringify(word)}`, {
          parameters: withValue(percentEncode(word)),
        });
  }
}

/** Those of which the name stands once. */
function singleFields({ items }: OauthParts): SignedParameter[] {
  const names = items.map(({ encoded }) => encoded[0]);
  return items.filter(({ encoded }) => names.indexOf(encoded[0]) === names.lastIndexOf(encoded[0])).slice(0, maxFields);
}

/** In its place, encoded: the name stands once, so the order stays. */
function placing({ ordered }: OauthParts, item: SignedParameter): (value: string) => string {
  const at = ordered.indexOf(item);
  const before = ordered.slice(0, at).map(({ element }) => `${element}%26`);
  const behind = ordered.slice(at + 1).map(({ element }) => `%26${element}`);
  const start = `${before.join('')}${encodeURIComponent(item.encoded[0])}%3D`;
  const end = behind.join('');
  return (value) => start + encodeURIComponent(value) + end;
}
