/**
 * Changes a block of YAML line by line, so that comments and layout stay. Knows the plain block style only; the caller
 * must parse the result and compare, since a file may be written in other styles.
 */

type Scalar = string | number | boolean;

/** What one key of a profile may hold. */
export type Setting = Scalar | readonly Scalar[] | Readonly<Record<string, Scalar>>;

/** Values by name; a mapping of names to values is one level deeper. */
export type Block = Readonly<Record<string, Setting>>;

/** Sets `default-profile: NAME`, where it is already or above everything else. */
export function withDefault(text: string, name: string): string {
  const lines = linesOf(text);
  const at = lines.findIndex(isKey('', 'default-profile'));
  const line = `default-profile: ${scalar(name)}`;
  if (at !== -1) return textOf(lines.with(at, line + (/\s+#.*$/.exec(lines[at] ?? '')?.[0] ?? '')), text);
  const first = lines.findIndex((found) => isContentLine(found) && !/^(?:---|%)/.test(found));
  return textOf(lines.toSpliced(first === -1 ? lines.length : first, 0, line), text);
}

export function withoutDefault(text: string): string {
  return textOf(
    linesOf(text).filter((line) => !isKey('', 'default-profile')(line)),
    text,
  );
}

/** Adds a profile after the others, or replaces the one of this name. */
export function withProfile(text: string, name: string, profile: Block): string {
  const lines = linesOf(text);
  const at = lines.findIndex(isKey('', 'profiles'));
  if (at === -1) return textOf([...lines, 'profiles:', ...blockOf(name, profile, '  ')], text);
  const { end, indent } = childrenOf(lines, at);
  const opened = lines.with(at, (lines[at] ?? '').replace(/\{\s*\}/, '').trimEnd());
  const old = entryOf(opened, at, name);
  const block = blockOf(name, profile, indent);
  return textOf(
    old === undefined ? opened.toSpliced(end, 0, ...block) : opened.toSpliced(old.start, old.end - old.start, ...block),
    text,
  );
}

/** Removes a profile; with the last one, the key `profiles` as well. */
export function withoutProfile(text: string, name: string): string {
  const lines = linesOf(text);
  const at = lines.findIndex(isKey('', 'profiles'));
  const old = at === -1 ? undefined : entryOf(lines, at, name);
  if (old === undefined) return text;
  const left = lines.toSpliced(old.start, old.end - old.start);
  const isEmpty = !left.slice(at + 1, childrenOf(left, at).end).some(isContentLine);
  return textOf(isEmpty ? left.toSpliced(at, 1) : left, text);
}

export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

export function textOf(lines: readonly string[], before: string): string {
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  return lines.map((line) => line + end).join('');
}

/** Neither blank nor a comment. */
export function isContentLine(line: string): boolean {
  return /^\s*[^\s#]/.test(line);
}

export function isKey(indent: string, key: string): (line: string) => boolean {
  const pattern = new RegExp(`^${indent}(["']?)${key.replaceAll('.', '\\.')}\\1\\s*:(?:\\s|$)`);
  return (line) => pattern.test(line);
}

export function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

/** Where the lines below a line end, and how far they are indented. */
function childrenOf(lines: readonly string[], at: number): { readonly end: number; readonly indent: string } {
  let end = at + 1;
  let indent: string | undefined;
  for (let i = at + 1; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (!isContentLine(line)) continue;
    if (indentOf(line) === 0) break;
    indent ??= ' '.repeat(indentOf(line));
    end = i + 1;
  }
  return { end, indent: indent ?? '  ' };
}

export function entryOf(
  lines: readonly string[],
  at: number,
  name: string,
): { readonly start: number; readonly end: number } | undefined {
  const { end: last, indent } = childrenOf(lines, at);
  const start = lines.findIndex((line, i) => i > at && i < last && isKey(indent, name)(line));
  if (start === -1) return undefined;
  let end = start + 1;
  for (let i = end; i < last; i++) {
    const isDeeper = indentOf(lines[i] ?? '') > indent.length;
    if (isContentLine(lines[i] ?? '') && !isDeeper) break;
    if (isDeeper) end = i + 1;
  }
  return { start, end };
}

function blockOf(name: string, profile: Block, indent: string): string[] {
  const step = indent.length > 2 ? indent : '  ';
  return [`${indent}${scalar(name)}:`, ...linesOfBlock(profile, indent + step, step)];
}

function linesOfBlock(block: Block, indent: string, step: string): string[] {
  return Object.entries(block).flatMap(([key, value]) => {
    const name = `${indent}${scalar(key)}:`;
    if (typeof value !== 'object') return [`${name} ${scalar(value)}`];
    if (isList(value)) return [`${name} [${value.map(scalar).join(', ')}]`];
    return [name, ...linesOfBlock(value, indent + step, step)];
  });
}

// Array.isArray does not narrow to a readonly array.
function isList(value: object): value is readonly Scalar[] {
  return Array.isArray(value);
}

const words = new Set(['yes', 'no', 'on', 'off', 'y', 'n', 'true', 'false', 'null']);

/**
 * Unquoted where every YAML parser reads it as this text; else in double quotes, which YAML reads as JSON does.
 */
export function scalar(value: Scalar): string {
  if (typeof value !== 'string') return String(value);
  const isPlain = /^(?:https?:\/|~|\/)?[A-Za-z/][\w./-]*(?::\d+)?[\w./-]*$/.test(value);
  return isPlain && !words.has(value.toLowerCase()) ? value : JSON.stringify(value);
}

/** Where a profile of the block style is, the indent of its keys, and how much that exceeds its own. */
function profileIn(lines: readonly string[], name: string) {
  const at = lines.findIndex(isKey('', 'profiles'));
  const profile = at === -1 ? undefined : entryOf(lines, at, name);
  if (profile === undefined) return undefined;
  const inner = indentBelow(lines, profile.start, profile.end);
  return { ...profile, inner, step: inner.slice(indentOf(lines[profile.start] ?? '')) };
}

export interface SettingEdit {
  /** Of the profile. */
  readonly name: string;
  readonly key: string;
  /** Undefined removes the key. */
  readonly value: Setting | undefined;
}

/**
 * One key of a profile of the block style, the rest left as it is. As with every change by lines, the caller compares.
 */
export function withSetting(text: string, { name, key, value }: SettingEdit): string {
  const lines = linesOf(text);
  const profile = profileIn(lines, name);
  if (profile === undefined) return text;
  const { inner, step } = profile;
  const [first, ...below] = value === undefined ? [] : linesOfBlock({ [key]: value }, inner, step);
  const found = lines.findIndex((line, i) => i > profile.start && i < profile.end && isKey(inner, key)(line));
  if (found === -1) return textOf(first === undefined ? lines : lines.toSpliced(profile.end, 0, first, ...below), text);
  const wanted = first === undefined ? [] : [first + remarkOf(lines[found] ?? ''), ...below];
  return textOf(lines.toSpliced(found, endBelow(lines, found, inner.length) - found, ...wanted), text);
}

function remarkOf(line: string): string {
  return /\s+#.*$/.exec(line)?.[0] ?? '';
}

function indentBelow(lines: readonly string[], start: number, end: number, otherwise = ''): string {
  const first = lines.slice(start + 1, end).find(isContentLine);
  return first === undefined ? otherwise : ' '.repeat(indentOf(first));
}

/** Where the lines that are indented deeper than this end. */
function endBelow(lines: readonly string[], start: number, indent: number): number {
  let end = start + 1;
  for (let i = end; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (isContentLine(line) && indentOf(line) <= indent) break;
    if (isContentLine(line)) end = i + 1;
  }
  return end;
}
