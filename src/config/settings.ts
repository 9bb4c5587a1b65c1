import { fail } from '../errors/index.js';
import { kindOf } from '../spec/index.js';
import { parseBaseUrl, parseEndpointId, webAddress } from '../wire/address.js';
import { readMoney } from '../wire/amount.js';
import { secretIn } from '../wire/secret-names.js';
import { durationForm, readDuration, readTimeout, timeoutForm } from '../wire/time.js';
import { pathFrom, shownPath } from './file-access.js';
import { type JournalAddress, readJournalAddress } from './journal-address.js';

export const profileClasses = ['sandbox', 'test', 'live'] as const;
/** In rising order of caution: a class may be raised from outside the profile, never lowered. */
export type ProfileClass = (typeof profileClasses)[number];

/** The forms a result is printed in: `-o`, PAYCLI_OUTPUT and `output` of configuration files. */
export const outputFormats = ['text', 'json', 'ndjson', 'csv', 'yaml'] as const;
export type OutputFormat = (typeof outputFormats)[number];

export function isOutputFormat(word: string): word is OutputFormat {
  return outputFormats.some((form) => form === word);
}

/** True where a program reads what is printed: errors are one JSON object then. */
export function isMachineReadable(form: string | undefined): boolean {
  return form === 'json' || form === 'ndjson' || form === 'yaml';
}

/** Where a secret will be read from, once it is needed. `environment` is a variable that names a file. */
export type SecretSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'descriptor'; readonly descriptor: number }
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'keyring'; readonly account: string }
  | { readonly kind: 'helper'; readonly command: readonly string[] };

/** The place a secret is read from; never any part of the secret. */
export function secretLocation(source: SecretSource): string {
  switch (source.kind) {
    case 'file':
      return `file ${shownPath(source.path)}`;
    case 'stdin':
      return 'standard input';
    case 'descriptor':
      return `descriptor ${source.descriptor}`;
    case 'environment':
      return `the file named by ${source.name}`;
    case 'keyring':
      return `keyring entry ${source.account}`;
    case 'helper':
      // Without its arguments, which may hold secrets.
      return `helper ${source.command[0] ?? ''}`;
  }
}

/** What relative paths of a source start at, and `~`. */
export interface Place {
  readonly folder: string;
  readonly home: string;
}

/** The value of what a source says. Throws FIELD_INVALID with what is wrong, never with what was read. */
export type Read<T> = (raw: unknown, place: Place) => T;

export function wrong(why: string): never {
  throw fail('FIELD_INVALID', { problems: why });
}

export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

const asText: Read<string> = (raw) => (typeof raw === 'string' ? raw : wrong('use text: put it in quotes'));

/** A text that `check` finds nothing wrong with. */
const checked =
  (isGood: (text: string) => boolean, form: string): Read<string> =>
  (raw, place) => {
    const text = asText(raw, place);
    return isGood(text) ? text : wrong(`use ${form}`);
  };

const oneOf =
  <const Word extends string>(words: readonly Word[]): Read<Word> =>
  (raw) =>
    words.find((word) => word === raw) ?? wrong(`use one of ${words.join(', ')}`);

const matching = (kind: 'text' | 'login') => checked((text) => kindOf(kind).pattern.test(text), kindOf(kind).form);

const line: Read<string> = (raw, place) => {
  const text = asText(raw, place);
  if (text.includes('-----BEGIN')) wrong('contains PEM text; name a file that holds it instead');
  return matching('text')(text, place);
};

const path: Read<string> = (raw, place) => pathFrom(line(raw, place), place.folder, place.home);

const webUrl = checked((text) => webAddress(text) !== undefined, 'an http or https address');

export const endpointId: Read<string> = (raw) => {
  // A number above 2^53 has already lost its last digits in parsing.
  if (typeof raw === 'number' && !Number.isSafeInteger(raw))
    wrong('use a whole number; above 9007199254740991 write it as a string, in quotes');
  return typeof raw === 'number' || typeof raw === 'string' ? parseEndpointId(String(raw)) : wrong('use digits');
};

const seconds: Read<number> = (raw) =>
  (typeof raw === 'string' || typeof raw === 'number' ? readTimeout(String(raw)) : undefined) ??
  wrong(`use ${timeoutForm}`);

const yesOrNo: Read<boolean> = (raw) => (typeof raw === 'boolean' ? raw : wrong('use true or false'));

/** `500.00 EUR`, or a list with at most one amount per currency. */
const money: Read<readonly string[]> = (raw, place) => {
  const texts = (Array.isArray(raw) ? raw : [raw]).map((each) =>
    typeof each === 'string' ? line(each, place) : wrong('use text such as "500.00 EUR", or a list of them'),
  );
  const currencies = texts.map((text) => {
    const one = readMoney(text);
    return one.ok ? one.currency : wrong(one.why);
  });
  const twice = currencies.find((currency, at) => currencies.indexOf(currency) !== at);
  return twice === undefined ? texts : wrong(`names ${twice} twice`);
};

/** The name of a thing that holds a secret, never the secret itself. */
function nameLike(pattern: RegExp, form: string): Read<string> {
  return (raw, place) => {
    const name = asText(raw, place);
    const secret = secretIn(name);
    if (secret !== undefined) wrong(`looks like ${secret}, which is not a valid name`);
    return pattern.test(name) ? name : wrong(`use ${form}`);
  };
}

const variableName = nameLike(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable that names a file');
const entryName = nameLike(
  /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/,
  'the name of a keyring entry, such as shop-test/control-key',
);

const helper: Read<readonly string[]> = (raw, place) => {
  const [program, ...args] = Array.isArray(raw) ? raw : [];
  if (typeof program !== 'string' || program === '' || !args.every((arg) => typeof arg === 'string' && arg !== ''))
    return wrong('use a list of a program and its arguments, none of them empty');
  if (secretIn(program) !== undefined) wrong(`looks like ${secretIn(program)}, which is not a valid name`);
  // A bare name is looked up in PATH; a path never depends on the folder paycli is called in.
  return [program.includes('/') ? path(program, place) : program, ...args.map(String)];
};

/** The forms of a secret: `control-key: { file: PATH }`. */
const secretForms: Readonly<Record<string, Read<SecretSource>>> = {
  file: (raw, place) => ({ kind: 'file', path: path(raw, place) }),
  fd: (raw) => {
    if (raw === 0) return { kind: 'stdin' };
    // 1 and 2 are for output.
    if (typeof raw === 'number' && Number.isInteger(raw) && raw > 2 && raw < 10_000)
      return { kind: 'descriptor', descriptor: raw };
    return wrong('use the number of an open descriptor, 3 or above, or 0 for standard input');
  },
  env: (raw, place) => ({ kind: 'environment', name: variableName(raw, place) }),
  keyring: (raw, place) => ({ kind: 'keyring', account: entryName(raw, place) }),
  helper: (raw, place) => ({ kind: 'helper', command: helper(raw, place) }),
};

const secret: Read<SecretSource> = (raw, place) => {
  const [[form, value] = ['', undefined], ...others] = Object.entries(isMapping(raw) ? raw : {});
  const read = Object.hasOwn(secretForms, form) ? secretForms[form] : undefined;
  if (read === undefined || others.length > 0)
    return wrong(
      'use one of { file: PATH }, { fd: NUMBER }, { env: VARIABLE }, { keyring: ENTRY } and { helper: [PROGRAM, ARGUMENT] }; the secret itself does not belong in a configuration file',
    );
  return read(value, place);
};

const journalAddress: Read<JournalAddress> = (raw, place) =>
  readJournalAddress(asText(raw, place), place.folder, place.home);

/** A setting: how it is read, and whether a flag and a variable give it too. */
interface Setting<T> {
  readonly read: Read<T>;
  readonly flag?: true;
  readonly variable?: true;
}

const byBoth = { flag: true, variable: true } as const;

/** The settings of a profile besides its mappings. `base-url` is --base-url and PAYCLI_BASE_URL. */
export const profileSettings = {
  class: { read: oneOf(profileClasses), variable: true },
  'base-url': { read: (raw, place) => parseBaseUrl(asText(raw, place)), ...byBoth },
  login: { read: matching('login'), ...byBoth },
  'endpoint-id': { read: endpointId, ...byBoth },
  'control-key': { read: secret, ...byBoth },
  'private-key': { read: secret, ...byBoth },
  passphrase: { read: secret, ...byBoth },
  'ca-file': { read: path, flag: true },
  'server-callback-url': { read: webUrl },
  'redirect-url': { read: webUrl },
  'notify-url': { read: webUrl },
  'ask-first': { read: oneOf(['on', 'off']), variable: true },
  'repeat-window': { read: checked((text) => readDuration(text) !== undefined, durationForm) },
  'max-amount': { read: money },
  'max-total-per-day': { read: money },
  'require-approval': { read: yesOrNo },
  'approval-above': { read: money },
  journal: { read: journalAddress },
  'journal-key': { read: secret },
  'journal-password': { read: secret },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

/** The settings outside any profile. */
export const runSettings = {
  profile: {
    read: (raw, place) => {
      const found = secretIn(asText(raw, place));
      return found === undefined ? line(raw, place) : wrong(`looks like ${found}, which is not a valid name`);
    },
    variable: true,
  },
  output: { read: oneOf(outputFormats), variable: true },
  timeout: { read: seconds, variable: true },
  'no-input': { read: (raw) => !['0', 'false', 'no'].includes(String(raw).toLowerCase()), variable: true },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

/** Every setting by its name. */
export const settings: Readonly<Record<string, Setting<unknown>>> = { ...profileSettings, ...runSettings };

/** The secrets that flags and variables give as well. */
export const secretKeys = ['control-key', 'private-key', 'passphrase'] as const;
export type SecretKey = (typeof secretKeys)[number];
export const profileSecrets = [...secretKeys, 'journal-key', 'journal-password'] as const;

export function isSecretKey(key: string): key is SecretKey {
  return secretKeys.some((each) => each === key);
}

/** The variable of a setting; that of a secret names a file. */
export function variableOf(key: string): string {
  return `PAYCLI_${key.toUpperCase().replaceAll('-', '_')}${isSecretKey(key) ? '_FILE' : ''}`;
}

/** Hosts that count as live. */
export const hostNames: Read<readonly string[]> = (raw) => {
  const isHost = (each: unknown) =>
    typeof each === 'string' && /^[^/@?#*]+$/.test(each) && webAddress(`https://${each}`) !== undefined;
  return Array.isArray(raw) && raw.every(isHost) ? raw : wrong('use a list of host names such as gate.example.com');
};
