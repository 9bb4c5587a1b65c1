import { isDeepStrictEqual } from 'node:util';
import { fail } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { type ConfigText, parseConfig, readConfigFile } from './config-file.js';
import { type ConfigContent, contentOf, type InvalidContent } from './content.js';
import { checkWrittenClass, knownHosts } from './profile-class.js';
import { isMapping, type Mapping } from './sanitize.js';
import { invalidFile } from './schema.js';
import { findConfigFiles, userConfigPath } from './sources.js';
import * as yaml from './yaml-edit.js';

/** What a profile written by a command may hold. */
export type NewProfile = yaml.Block;

export type Change =
  | { readonly kind: 'put'; readonly name: string; readonly profile: NewProfile }
  | { readonly kind: 'remove' | 'default'; readonly name: string }
  /** Without a value the key is removed. */
  | { readonly kind: 'set'; readonly name: string; readonly key: string; readonly value: yaml.Setting | undefined }
  | { readonly kind: 'no-default' };

/** The user file after the changes, checked as a whole and not yet written. */
export interface EditedConfig {
  readonly path: string;
  readonly text: string;
  readonly content: ConfigContent;
}

/** The user file as it is; an empty one where there is none. Throws CONFIG_INVALID. */
export function readUserFile(files: Files): ConfigText {
  const path = findConfigFiles(files).user;
  return path === undefined ? { path: userConfigPath(files), text: '', data: {} } : readConfigFile(path, files);
}

/**
 * Comments and layout of YAML stay; JSON, which has no comments, is formatted anew. Throws CONFIG_INVALID, or what
 * `invalid` makes of the problems, or PROFILE_CLASS_MISMATCH.
 */
export function applyChanges(
  before: ConfigText,
  changes: readonly Change[],
  files: Files,
  invalid: InvalidContent = invalidFile,
): EditedConfig {
  const wanted = changes.reduce(changedData, mappingOf(before.data));
  const isJson = before.path.endsWith('.json');
  const text = isJson ? `${JSON.stringify(wanted, null, 2)}\n` : changes.reduce(changedYaml, before.text);
  if (!isJson && !parsesTo(before.path, text, wanted))
    throw fail('configNotEditable', { file: before.path, instructions: manualInstructions(changes) });
  const content = contentOf({ path: before.path, text, data: wanted }, files, invalid);
  const hosts = knownHosts({ user: content, project: undefined });
  for (const change of changes)
    if (change.kind === 'put' || change.kind === 'set') checkProfile(content, change, hosts);
  return { path: before.path, text, content };
}

function parsesTo(path: string, text: string, wanted: Mapping): boolean {
  try {
    return isDeepStrictEqual(mappingOf(parseConfig(path, text)), wanted);
  } catch {
    return false;
  }
}

/** Throws STORAGE. */
export function writeUserFile({ path, text }: EditedConfig, files: Files): void {
  try {
    files.writeText(path, text, 0o600);
  } catch (cause) {
    throw fail('configNotWritten', { what: path }, { cause });
  }
}

function checkProfile(
  { profiles }: ConfigContent,
  { kind, name }: Pick<Change, 'kind'> & { readonly name: string },
  hosts: ReturnType<typeof knownHosts>,
): void {
  const profile = profiles.get(name);
  const baseUrl = profile?.draft.texts['base-url']?.value;
  // A new profile gets its class by a flag, a changed one by KEY=VALUE.
  const flag = kind === 'put' ? '--class ' : 'class=';
  if (profile !== undefined && baseUrl !== undefined)
    checkWrittenClass({ name, class: profile.class, baseUrl }, hosts, flag);
}

function changedData(data: Mapping, change: Change): Mapping {
  if (change.kind === 'default') return { ...data, 'default-profile': change.name };
  if (change.kind === 'no-default') return without(data, 'default-profile');
  const profiles = mappingOf(data['profiles']);
  if (change.kind === 'put') return { ...data, profiles: { ...profiles, [change.name]: change.profile } };
  if (change.kind === 'set') {
    const others = without(mappingOf(profiles[change.name]), change.key);
    const profile = change.value === undefined ? others : { ...others, [change.key]: change.value };
    return { ...data, profiles: { ...profiles, [change.name]: profile } };
  }
  const left = without(profiles, change.name);
  return Object.keys(left).length === 0 ? without(data, 'profiles') : { ...data, profiles: left };
}

function changedYaml(text: string, change: Change): string {
  if (change.kind === 'set') return yaml.withSetting(text, change);
  if (change.kind === 'default') return yaml.withDefault(text, change.name);
  if (change.kind === 'no-default') return yaml.withoutDefault(text);
  if (change.kind === 'put') return yaml.withProfile(text, change.name, change.profile);
  return yaml.withoutProfile(text, change.name);
}

function manualInstructions(changes: readonly Change[]): string {
  const lines = changes.map((change) => {
    if (change.kind === 'put')
      return `add under profiles: ${JSON.stringify({ [change.name]: change.profile }).slice(1, -1)}`;
    if (change.kind === 'no-default') return 'remove default-profile';
    if (change.kind === 'set')
      return change.value === undefined
        ? `remove profiles.${change.name}.${change.key}`
        : `add under profiles.${change.name}: ${change.key}: ${JSON.stringify(change.value)}`;
    return change.kind === 'default' ? `set default-profile: ${change.name}` : `remove profiles.${change.name}`;
  });
  return `edit the file yourself: ${lines.join(', and ')}`;
}

function without(data: Mapping, key: string): Mapping {
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== key));
}

function mappingOf(data: unknown): Mapping {
  return isMapping(data) ? data : {};
}
