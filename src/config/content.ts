import { dirname } from 'node:path';
import { fail, type PaycliError, reasonText } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { allOperations, type Field, kindOf } from '../spec/index.js';
import { checkValue } from '../wire/check.js';
import { secretIn } from '../wire/secret-names.js';
import type { ConfigText } from './config-file.js';
import { pathFrom } from './file-access.js';
import { type Assumed, assumedIn, type Caps, capsIn, type EndpointRule, endpointRules } from './profile-entries.js';
import { isMapping, type Mapping, nameOf, sanitizeConfig } from './sanitize.js';
import { checkSchema, invalidFile, type ProfileEntries, unknownKey } from './schema.js';
import type { Draft, OutputFormat, ProfileClass, SecretKey, SecretSource, Sourced, TextKey } from './settings.js';
import { type SharedJournal, sharedJournalIn } from './shared-journal.js';

/** Defaults of fields, by the field's key. */
export type Defaults = Readonly<Record<string, Sourced<string>>>;

export interface ProfileContent {
  readonly name: string;
  readonly class: ProfileClass;
  readonly draft: Draft;
  readonly endpoints: readonly EndpointRule[];
  readonly assume: Assumed;
  readonly caps: Caps;
  readonly journal: SharedJournal | undefined;
  readonly defaults: Defaults;
}

/** What any configuration file may say. */
export interface CommonContent {
  readonly path: string;
  readonly defaultProfile: Sourced<string> | undefined;
  readonly output: Sourced<OutputFormat> | undefined;
  readonly timeoutSeconds: Sourced<number> | undefined;
  readonly defaults: Defaults;
}

/** What the user file says, checked and with its paths resolved. */
export interface ConfigContent extends CommonContent {
  readonly liveHosts: readonly Sourced<string>[];
  readonly profiles: ReadonlyMap<string, ProfileContent>;
}

/** Where an entry of a file is, and the list its problems are added to. */
interface EntryPlace {
  readonly file: string;
  readonly home: string;
  readonly path: readonly string[];
  readonly problems: string[];
}

/** The error for everything wrong with the content of a file. */
export type InvalidContent = (file: string, problems: readonly string[]) => PaycliError;

/** Checks a whole file. Throws CONFIG_INVALID, or what `invalid` makes of everything wrong with it. */
export function contentOf(text: ConfigText, files: Files, invalid: InvalidContent = invalidFile): ConfigContent {
  const { data, problems: found } = sanitizeConfig(text.data);
  const problems = [...found];
  const shape = checkSchema(data, problems);
  if (shape === undefined) throw invalid(text.path, problems);
  const at = (...path: string[]): EntryPlace => ({ file: text.path, home: files.folders.home, path, problems });
  const profiles = Object.entries(shape.profiles ?? {}).map(([name, profile]) =>
    profileOf(name, profile, at('profiles', name)),
  );
  const content: ConfigContent = {
    path: text.path,
    defaultProfile: sourced(shape['default-profile'], at('default-profile')),
    output: sourced(shape.output, at('output')),
    timeoutSeconds: sourced(shape.timeout, at('timeout')),
    liveHosts: (shape['live-hosts'] ?? []).map((value) => ({ value, origin: originOf(at('live-hosts')) })),
    profiles: new Map(profiles.map((profile) => [profile.name, profile])),
    defaults: defaultsOf(shape.defaults ?? {}, at('defaults')),
  };
  if (problems.length > 0) throw invalid(text.path, problems);
  return content;
}

/**
 * A project folder may come from anybody, so its file names a profile and sets texts, never where money goes or with
 * which key. Throws CONFIG_INVALID.
 */
export function projectContentOf(text: ConfigText, files: Files): CommonContent {
  const content = contentOf(text, files);
  const { data } = sanitizeConfig(text.data);
  const defaults = isMapping(data['defaults']) ? Object.keys(data['defaults']) : [];
  const beyond = [
    ...Object.keys(data)
      .filter((key) => !['default-profile', 'output', 'timeout', 'defaults'].includes(key))
      .map((key) => [key]),
    ...defaults.filter((name) => !isDescriptive(name)).map((name) => ['defaults', name]),
  ];
  if (beyond.length > 0)
    throw fail('CONFIG_INVALID', {
      file: text.path,
      problems: `sets ${beyond.map(nameOf).join(', ')}, but a project file may set only default-profile, output, timeout and the defaults order-desc, purpose, site-url and merchant-data`,
    });
  return content;
}

const reserved: Readonly<Record<string, string>> = {
  sandbox: 'has a reserved name: sandbox is the built-in sandbox; use another name',
  environment: 'has a reserved name; use another one',
  flags: 'has a reserved name; use another one',
};

/** Why this cannot name a profile, in words that fit after it; undefined when it can. */
export function nameProblem(name: string): string | undefined {
  const secret = secretIn(name);
  if (secret !== undefined) return `has a name that looks like ${secret}; use another one`;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
    return 'has an invalid name: use at most 64 letters, digits, dots, dashes and underscores, a letter or digit first';
  return Object.hasOwn(reserved, name) ? reserved[name] : undefined;
}

function profileOf(name: string, shape: ProfileEntries, place: EntryPlace): ProfileContent {
  const below = (key: string): EntryPlace => ({ ...place, path: [...place.path, key] });
  const problem = (text: string) => place.problems.push(`${nameOf(place.path)} ${text}`);
  const misnamed = nameProblem(name);
  if (misnamed !== undefined) problem(misnamed);
  if (shape.class === undefined) problem('has no class; set it to sandbox, test or live');
  return {
    name,
    // A missing class is a problem, so this default is never used.
    class: shape.class ?? 'live',
    draft: { texts: textsOf(shape, place), secrets: secretsOf(shape, place) },
    endpoints: endpointRules(
      shape.endpoints ?? {},
      below('endpoints').path,
      originOf(below('endpoints')),
      place.problems,
    ),
    assume: assumedIn(shape.assume ?? {}, below('assume').path, originOf(below('assume')), place.problems),
    caps: capsIn(
      shape,
      (key) => originOf(below(key)),
      (key, why) => place.problems.push(reasonText(nameOf(below(key).path), why)),
    ),
    journal: sharedJournalIn(name, shape, place),
    defaults: defaultsOf(shape.defaults ?? {}, below('defaults')),
  };
}

const textKeys: readonly TextKey[] = [
  'class',
  'base-url',
  'login',
  'endpoint-id',
  'ca-file',
  'server-callback-url',
  'redirect-url',
  'notify-url',
  'ask-first',
  'repeat-window',
];

function textsOf(shape: ProfileEntries, place: EntryPlace): Draft['texts'] {
  const texts: Partial<Record<TextKey, Sourced<string>>> = {};
  for (const key of textKeys) {
    const value = shape[key];
    if (value === undefined) continue;
    const origin = originOf({ ...place, path: [...place.path, key] });
    texts[key] = { value: key === 'ca-file' ? pathOf(value, place) : value, origin };
  }
  return texts;
}

function secretsOf(shape: ProfileEntries, place: EntryPlace): Draft['secrets'] {
  const secrets: Partial<Record<SecretKey, SecretSource>> = {};
  for (const secret of ['control-key', 'private-key', 'passphrase'] as const) {
    const sources = sourcesOf(secret, shape, place);
    const keys = sources.map(({ kind }) => `${secret}-${suffix[kind]}`);
    if (keys.length > 1) place.problems.push(`${nameOf(place.path)} may set only one of ${keys.join(', ')}`);
    if (sources[0] !== undefined) secrets[secret] = sources[0];
  }
  return secrets;
}

const suffix = {
  file: 'file',
  stdin: 'stdin',
  descriptor: 'fd',
  environment: 'env',
  keyring: 'keyring',
  helper: 'helper',
} as const;

function sourcesOf(secret: SecretKey, shape: ProfileEntries, place: EntryPlace): SecretSource[] {
  const origin = (kind: keyof typeof suffix) =>
    originOf({ ...place, path: [...place.path, `${secret}-${suffix[kind]}`] });
  const path = shape[`${secret}-file`];
  const name = shape[`${secret}-env`];
  const descriptor = shape[`${secret}-fd`];
  const account = shape[`${secret}-keyring`];
  const helper = shape[`${secret}-helper`];
  for (const [kind, entry] of Object.entries({ env: name, keyring: account, helper: helper?.[0] }))
    if (entry !== undefined && secretIn(entry) !== undefined)
      place.problems.push(
        `${nameOf([...place.path, `${secret}-${kind}`])} looks like ${secretIn(entry)}, which is not a valid name`,
      );
  const sources: SecretSource[] = [];
  if (path !== undefined) sources.push({ kind: 'file', path: pathOf(path, place), origin: origin('file') });
  if (secret === 'control-key' && shape['control-key-stdin'] === true)
    sources.push({ kind: 'stdin', origin: origin('stdin') });
  if (descriptor !== undefined) sources.push({ kind: 'descriptor', descriptor, origin: origin('descriptor') });
  if (name !== undefined) sources.push({ kind: 'environment', name, origin: origin('environment') });
  const since = secret === 'control-key' ? shape['control-key-since'] : undefined;
  const age = since === undefined ? {} : { since: Date.parse(since) };
  if (account !== undefined) sources.push({ kind: 'keyring', account, origin: origin('keyring'), ...age });
  if (helper !== undefined)
    sources.push({ kind: 'helper', command: commandOf(helper, place), origin: origin('helper') });
  return sources;
}

// A bare name is looked up in PATH; a path never depends on the folder paycli is called in.
function commandOf([program = '', ...args]: readonly string[], place: EntryPlace): string[] {
  return [program.includes('/') ? pathOf(program, place) : program, ...args];
}

function defaultsOf(entries: Mapping, place: EntryPlace): Defaults {
  const defaults: Record<string, Sourced<string>> = {};
  for (const [name, value] of Object.entries(entries)) {
    const path = [...place.path, name];
    const field = fieldNamed(name);
    const problem = field === undefined ? undefined : defaultProblem(field, value);
    if (field === undefined)
      place.problems.push(unknownKey(path, fieldNames(), '; use a field of the API, such as order-desc'));
    else if (problem !== undefined) place.problems.push(reasonText(nameOf(path), problem));
    else if (defaults[field.key] !== undefined) place.problems.push(`${nameOf(path)} is set twice`);
    else defaults[field.key] = { value: String(value), origin: originOf({ ...place, path }) };
  }
  return defaults;
}

function sourced<T>(value: T | undefined, place: EntryPlace): Sourced<T> | undefined {
  return value === undefined ? undefined : { value, origin: originOf(place) };
}

function originOf({ file, path }: EntryPlace): string {
  return `${file}: ${nameOf(path)}`;
}

function pathOf(written: string, { file, home }: EntryPlace): string {
  return pathFrom(written, dirname(file), home);
}

/** One field of the interface, with every form it takes in the operations that have it. */
interface KnownField {
  readonly key: string;
  readonly forms: Field[];
}

const byKey = new Map<string, KnownField>();
const byName = new Map<string, KnownField>();
for (const operation of allOperations) {
  for (const [key, field] of Object.entries(operation.fields)) {
    const known = byKey.get(key) ?? { key, forms: [] };
    known.forms.push(field);
    byKey.set(key, known);
    for (const name of [plain(key), plain(field.wire)]) if (!byName.has(name)) byName.set(name, known);
  }
}

/** The field behind a flag name, a wire name or a key, however its words are joined. */
export function fieldNamed(name: string): KnownField | undefined {
  return byName.get(plain(name));
}

/** Names to suggest from. */
function fieldNames(): string[] {
  return [...byKey.values()].flatMap(({ key, forms }) => [flagOf(key), ...forms.map((form) => form.wire)]);
}

// Texts for the payer or for the merchant's books: none says who pays, who is paid, how much, in which currency or from
// where.
const descriptiveFields: readonly string[] = ['orderDesc', 'purpose', 'siteUrl', 'merchantData'];

/** True for a field whose default a project file may set. */
function isDescriptive(name: string): boolean {
  return descriptiveFields.includes(fieldNamed(name)?.key ?? '');
}

/**
 * Why this cannot be a default, in words that fit after the field's name; undefined when it can. Never repeats the
 * value.
 */
function defaultProblem(field: KnownField, value: unknown): string | undefined {
  const secrecies = field.forms.map(({ kind }) => kindOf(kind).secrecy);
  if (secrecies.includes('card') || secrecies.includes('secret'))
    return 'is card data, which cannot have a default; use --card-file or --test-card';
  if (field.key === 'login') return 'cannot have a default; set login in the profile';
  if (typeof value !== 'string' && typeof value !== 'boolean') return 'use text: put it in quotes';
  const problems = field.forms.map((form) => checkValue(form, String(value)));
  return problems.includes(undefined) ? undefined : problems[0];
}

function flagOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}
