import { entryOf, indentOf, isKey, isReal, linesOf, scalar, textOf } from './yaml-lines.js';

export interface Assumed {
  /** Of the profile. */
  readonly name: string;
  readonly key: string;
  /** Nothing takes the key out. */
  readonly value: string | undefined;
}

/** One entry of `assume` in a profile of the block style, the rest left as it is. As with every change by lines, the caller compares. */
export function withAssumed(text: string, { name, key, value }: Assumed): string {
  const lines = linesOf(text);
  const at = lines.findIndex(isKey('', 'profiles'));
  const profile = at === -1 ? undefined : entryOf(lines, at, name);
  if (profile === undefined) return text;
  const inner = indentBelow(lines, profile.start, profile.end);
  const step = inner.slice(indentOf(lines[profile.start] ?? ''));
  const start = lines.findIndex((line, i) => i > profile.start && i < profile.end && isKey(inner, 'assume')(line));
  if (start === -1) {
    if (value === undefined) return text;
    return textOf(lines.toSpliced(profile.end, 0, `${inner}assume:`, `${inner}${step}${entry(key, value)}`), text);
  }
  const opened = unfolded(lines, start, step);
  const end = endBelow(opened, start, inner.length);
  return textOf(changed(opened, { start, end, indent: indentBelow(opened, start, end, inner + step) }, key, value), text);
}

interface Range {
  /** The line `assume:`. */
  readonly start: number;
  readonly end: number;
  readonly indent: string;
}

function changed(lines: readonly string[], { start, end, indent }: Range, key: string, value: string | undefined): string[] {
  const at = lines.findIndex((line, i) => i > start && i < end && isKey(indent, key)(line));
  if (at === -1) return value === undefined ? [...lines] : lines.toSpliced(end, 0, `${indent}${entry(key, value)}`);
  const last = endBelow(lines, at, indent.length);
  if (value !== undefined) return lines.toSpliced(at, last - at, `${indent}${entry(key, value)}${remarkOf(lines[at] ?? '')}`);
  const left = lines.toSpliced(at, last - at);
  const after = end - (last - at);
  return left.slice(start + 1, after).some(isReal) ? left : left.toSpliced(start, after - start);
}

function entry(key: string, value: string): string {
  return `${scalar(key)}: ${scalar(value)}`;
}

function remarkOf(line: string): string {
  return /\s+#.*$/.exec(line)?.[0] ?? '';
}

/** `assume: { A01: hex-upper }` with an entry a line; entries that hold more than a word stay, and then the comparison fails. */
function unfolded(lines: readonly string[], at: number, step: string): string[] {
  const [, head = '', inside, remark = ''] = /^(\s*assume\s*:)\s*\{([^{}[\]"'#]*)\}\s*(\s#.*)?$/.exec(lines[at] ?? '') ?? [];
  if (inside === undefined) return [...lines];
  const indent = ' '.repeat(indentOf(head)) + step;
  const entries = inside.split(/,\s+|,$/).filter((each) => each.trim() !== '');
  return lines.toSpliced(at, 1, `${head}${remark}`, ...entries.map((each) => indent + each.trim()));
}

function indentBelow(lines: readonly string[], start: number, end: number, otherwise = ''): string {
  const first = lines.slice(start + 1, end).find(isReal);
  return first === undefined ? otherwise : ' '.repeat(indentOf(first));
}

/** Where what is set in deeper than this ends. */
function endBelow(lines: readonly string[], start: number, indent: number): number {
  let end = start + 1;
  for (let i = end; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (isReal(line) && indentOf(line) <= indent) break;
    if (isReal(line)) end = i + 1;
  }
  return end;
}
