import { type Document, isMap, parseDocument, visit } from 'yaml';
import { fail } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { type ConfigText, parseConfig, readConfigFile } from './config-file.js';
import { type ConfigContent, readContent } from './content.js';
import { invalidConfig } from './file-access.js';
import { assertAddressFits } from './profile-class.js';
import { isThere, userConfigPath } from './sources.js';

/** What one key of a profile may hold. */
export type Setting = string | number | readonly string[] | Readonly<Record<string, string | number>>;

/** One key of the user file, such as `profiles`, `shop`, `login`; without a value it is removed. */
export interface Change {
  readonly path: readonly [string, ...string[]];
  readonly value?: Setting | Readonly<Record<string, Setting>> | undefined;
}

/** The user file after the changes, checked as a whole and not yet written. */
export interface EditedConfig {
  readonly path: string;
  readonly text: string;
  readonly content: ConfigContent;
}

/** The user file as it is; an empty one where there is none. Throws CONFIG_INVALID. */
export function readUserFile(files: Files): ConfigText {
  const path = userConfigPath(files);
  return isThere(path, files) ? readConfigFile(path, files) : { path, text: '', data: {} };
}

/** Comments stay. Throws CONFIG_INVALID or PROFILE_CLASS_MISMATCH. */
export function applyChanges(
  { path, text: before }: ConfigText,
  changes: readonly Change[],
  files: Files,
): EditedConfig {
  const text = changes.length === 0 ? before : changedText(path, before, changes);
  const content = readContent({ path, text, data: parseConfig(path, text) }, files);
  for (const { path: keys, value } of changes) if (value !== undefined) checkClass(content, keys);
  return { path, text, content };
}

function changedText(path: string, text: string, changes: readonly Change[]): string {
  // The parser of configuration files reads times and more forms of numbers, so texts like these are quoted.
  const document = parseDocument(text, { compat: 'yaml-1.1' });
  try {
    if (document.errors[0] !== undefined) throw document.errors[0];
    for (const change of changes) apply(document, change);
    if (isMap(document.contents) && document.contents.items.length === 0) document.contents = null;
    if (document.contents === null && document.commentBefore === null) return '';
    return document.toString({ lineWidth: 0 });
  } catch (cause) {
    // Also where a part that others are made from would be taken out.
    throw invalidConfig(path, 'paycli cannot edit this file because of its layout: edit it yourself', cause);
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

function checkClass(content: ConfigContent, [, name = '']: Change['path']): void {
  const { class: kind, 'base-url': address } = content.profiles.get(name) ?? {};
  if (kind === undefined || address === undefined) return;
  assertAddressFits({ name, class: kind.value, baseUrl: address.value }, content);
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
