import { type Document, isMap, parseDocument, visit } from 'yaml';
import { fail, type PaycliError } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { type ConfigText, parseConfig, readConfigFile, unreadable } from './config-file.js';
import { type ConfigContent, type InvalidContent, invalidFile, readContent } from './content.js';
import { assertAddressFits } from './profile-class.js';
import { findConfigFiles, userConfigPath } from './sources.js';

type Scalar = string | number | boolean;

/** What one key of a profile may hold. */
export type Setting = Scalar | readonly Scalar[] | Readonly<Record<string, Scalar | readonly Scalar[]>>;

/** What a profile written by a command may hold. */
export type NewProfile = Readonly<Record<string, Setting>>;

/** One key of the user file, such as `profiles`, `shop`, `login`; without a value it is removed. */
export interface Change {
  readonly path: readonly [string, ...string[]];
  readonly value?: Setting | NewProfile | undefined;
}

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
 * Comments of YAML stay; JSON, which has none, is formatted anew. Throws CONFIG_INVALID, or what `invalid` makes of the
 * problems, or PROFILE_CLASS_MISMATCH.
 */
export function applyChanges(
  before: ConfigText,
  changes: readonly Change[],
  files: Files,
  invalid: InvalidContent = invalidFile,
): EditedConfig {
  const { path } = before;
  const text = changes.length === 0 ? before.text : changedText(before, changes);
  const content = readContent({ path, text, data: parseConfig(path, text) }, files, invalid);
  for (const { path: keys, value } of changes) if (value !== undefined) checkClass(content, keys);
  return { path, text, content };
}

function changedText({ path, text }: ConfigText, changes: readonly Change[]): string {
  // The parser of configuration files reads times and more forms of numbers, so texts like these are quoted.
  const document = parseDocument(text, { compat: 'yaml-1.1' });
  if (document.errors.length > 0) throw configNotEditable(path);
  for (const change of changes) apply(document, change);
  if (path.endsWith('.json')) return `${JSON.stringify(document.toJS(), null, 2)}\n`;
  if (isMap(document.contents) && document.contents.items.length === 0) document.contents = null;
  try {
    const changed =
      document.contents === null && document.commentBefore === null ? '' : document.toString({ lineWidth: 0 });
    return text.includes('\r\n') ? changed.replaceAll('\n', '\r\n') : changed;
  } catch (cause) {
    // A part that others are made from cannot be taken out.
    throw configNotEditable(path, cause);
  }
}

function apply(document: Document, { path, value }: Change): void {
  if (value !== undefined) {
    document.setIn(path, typeof value === 'object' ? newNode(document, value) : value);
    return;
  }
  document.deleteIn(path);
  const above = path.slice(0, -1);
  const parent = above.length === 0 ? undefined : document.getIn(above);
  if (isMap(parent) && parent.items.length === 0) document.deleteIn(above);
}

/** A mapping of one entry stays on one line: `control-key: { file: PATH }`. */
function newNode(document: Document, value: object): unknown {
  const node = document.createNode(value);
  visit(node, {
    Map: (_, map) => {
      map.flow = map.items.length === 1;
    },
  });
  return node;
}

/** Throws STORAGE. */
export function writeUserFile({ path, text }: EditedConfig, files: Files): void {
  try {
    files.writeText(path, text, 0o600);
  } catch (cause) {
    throw fail(
      'STORAGE',
      { what: path, why: 'it could not be written', how: 'it was not changed; check the folder and the disk' },
      { cause },
    );
  }
}

function checkClass(content: ConfigContent, [, name = '']: Change['path']): void {
  const { class: kind, 'base-url': address } = content.profiles.get(name) ?? {};
  if (kind === undefined || address === undefined) return;
  const profile = { name, class: kind.value, baseUrl: address.value };
  assertAddressFits(profile, { user: content, project: undefined });
}

function configNotEditable(file: string, cause?: unknown): PaycliError {
  return unreadable(file)('paycli cannot edit this file because of its layout: edit it yourself', cause);
}
