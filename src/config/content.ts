import { dirname } from 'node:path';
import { isPaycliError, problemsText, suggest } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { secretIn } from '../wire/secret-names.js';
import type { ConfigText } from './config-file.js';
import { descriptiveFields, entryReaders, type MappingName } from './entries.js';
import { invalidConfig, printableName } from './file-access.js';
import { entriesBelow, type Layer, type Sourced } from './layers.js';
import { hostNames, isMapping, type Mapping, type Place, profileSettings, type Read, runSettings } from './settings.js';

/** What a configuration file says, checked and with its paths resolved. */
export interface ConfigContent {
  readonly path: string;
  /** What it says outside any profile; `profile` is its default profile. */
  readonly common: Layer;
  readonly liveHosts: readonly Sourced<string>[];
  readonly profiles: ReadonlyMap<string, Layer>;
}

const profileReaders = Object.fromEntries(Object.entries(profileSettings).map(([key, { read }]) => [key, read]));
const mappingNames = Object.keys(entryReaders) as MappingName[];
const profileKeys: readonly string[] = [...Object.keys(profileSettings), ...mappingNames];
const commonSettings = {
  'default-profile': runSettings.profile.read,
  output: runSettings.output.read,
  timeout: runSettings.timeout.read,
  'live-hosts': hostNames,
};
const fileKeys = [...Object.keys(commonSettings), 'defaults', 'profiles'];

/** Checks a whole file. Throws CONFIG_INVALID with everything wrong with it. */
export function readContent({ path, data }: ConfigText, files: Files): ConfigContent {
  const reader = new Reader(path, { folder: dirname(path), home: files.folders.home });
  const entries = reader.mapping(data, []);
  reader.refuseUnknown(entries, [], fileKeys);
  const { 'live-hosts': hosts, ...common } = reader.values(commonSettings, entries, []);
  const named = Object.entries(reader.mapping(entries['profiles'], ['profiles']));
  const content: ConfigContent = {
    path,
    common: { ...common, ...reader.entries('defaults', entries['defaults'], []) } as Layer,
    liveHosts: hosts === undefined ? [] : (hosts.value as string[]).map((value) => ({ ...hosts, value })),
    profiles: new Map(named.map(([name, raw]) => [name, reader.profile(name, raw)])),
  };
  if (reader.problems.length > 0) throw invalidConfig(path, problemsText([...new Set(reader.problems)]));
  return content;
}

const forProjects = ['default-profile', 'output', 'timeout', 'defaults'];

/**
 * A project folder may come from anybody, so its file names a profile and sets texts, never where money goes or with
 * which key. Throws CONFIG_INVALID.
 */
export function readProjectContent(text: ConfigText, files: Files): ConfigContent {
  const content = readContent(text, files);
  const beyond = [
    ...Object.keys(isMapping(text.data) ? text.data : {}).filter((key) => !forProjects.includes(key)),
    ...entriesBelow(content.common, 'defaults')
      .filter(([field]) => !descriptiveFields.includes(field))
      .map(([, { origin }]) => origin.slice(`${text.path}: `.length)),
  ];
  if (beyond.length === 0) return content;
  throw invalidConfig(
    text.path,
    `sets ${beyond.map(printableName).join(', ')}, but a project file may set only default-profile, output, timeout and the defaults order-desc, purpose, site-url and merchant-data`,
  );
}

/** Reads the parts of a file and collects what is wrong with them. Empty entries count as missing. */
class Reader {
  readonly problems: string[] = [];
  readonly #file: string;
  readonly #place: Place;

  constructor(file: string, place: Place) {
    this.#file = file;
    this.#place = place;
  }

  mapping(raw: unknown, path: readonly string[]): Mapping {
    if (isMapping(raw)) return raw;
    if (raw !== undefined && raw !== null) this.#problem(path, 'use a mapping of names to values');
    return {};
  }

  refuseUnknown(entries: Mapping, path: readonly string[], known: readonly string[]): void {
    for (const key of Object.keys(entries))
      if (!known.includes(key)) this.#problem([...path, key], `is unknown${suggest(key, known)}`);
  }

  /** What a mapping says in these settings. */
  values(
    settings: Readonly<Record<string, Read<unknown>>>,
    entries: Mapping,
    path: readonly string[],
  ): Readonly<Record<string, Sourced<unknown>>> {
    const read = Object.entries(settings).flatMap(([key, setting]) => {
      const raw = entries[key] ?? undefined;
      const at = [...path, key];
      const value = raw === undefined ? undefined : this.#attempt(at, () => setting(raw, this.#place));
      const name = key === 'default-profile' ? 'profile' : key;
      return value === undefined ? [] : [[name, { value, origin: `${this.#file}: ${nameOf(at)}` }] as const];
    });
    return Object.fromEntries(read);
  }

  entries(mapping: MappingName, raw: unknown, above: readonly string[]): Layer {
    const path = [...above, mapping];
    const layer: Record<string, unknown> = {};
    const entries = this.mapping(raw, path);
    for (const written of Object.keys(entries)) {
      const at = [...path, written];
      const entry = this.#attempt(at, () => entryReaders[mapping](written));
      if (entry === undefined) continue;
      const key = `${mapping}.${entry.name}`;
      if (layer[key] !== undefined) this.#problem(at, 'is set twice');
      layer[key] = this.values({ [written]: entry.read }, entries, path)[written];
    }
    return Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined)) as Layer;
  }

  profile(name: string, raw: unknown): Layer {
    const path = ['profiles', name];
    const misnamed = nameProblem(name);
    if (misnamed !== undefined) this.#problem(path, misnamed);
    const entries = this.mapping(raw, path);
    this.refuseUnknown(entries, path, profileKeys);
    if ((entries['class'] ?? undefined) === undefined)
      this.#problem(path, 'has no class; set it to sandbox, test or live');
    const mappings = mappingNames.map((mapping) => this.entries(mapping, entries[mapping], path));
    return Object.assign({}, this.values(profileReaders, entries, path), ...mappings);
  }

  #attempt<T>(path: readonly string[], read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      this.#problem(path, error.message);
      return undefined;
    }
  }

  #problem(path: readonly string[], why: string): void {
    const isStatement = /^(?:is|has|names|contains|looks) /.test(why);
    this.problems.push(`${nameOf(path)}${isStatement ? '' : ':'} ${why}`);
  }
}

/** A key with the keys above it, as messages name it. */
function nameOf(path: readonly string[]): string {
  return path.length === 0 ? 'the file' : path.map(printableName).join('.');
}

/** Why this cannot name a profile, in words that fit after it; undefined when it can. */
export function nameProblem(name: string): string | undefined {
  const secret = secretIn(name);
  if (secret !== undefined) return `has a name that looks like ${secret}; use another one`;
  if (['sandbox', 'environment', 'flags'].includes(name)) return 'has a reserved name; use another one';
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
    ? undefined
    : 'has an invalid name: use at most 64 letters, digits, dots, dashes and underscores, a letter or digit first';
}
