import { signOperationTools } from '../../core/command-line.js';
import type { Entry, Place } from './model.js';

export const tools: readonly string[] = [...signOperationTools];

/** Lines that belong to the same places, written once for all of them. */
export interface Group {
  readonly paths: readonly string[];
  readonly lines: readonly string[];
}

export interface Tables {
  readonly commands: readonly Group[];
  readonly flags: readonly Group[];
  readonly arguments: readonly Group[];
}

/** The three tables of a script. `write` makes one line of an entry. */
export function tablesOf(places: readonly Place[], write: (entry: Entry) => string): Tables {
  const of = (entries: (place: Place) => readonly Entry[]) =>
    grouped(shared(places.flatMap((place) => entries(place).map((entry) => [place.path, write(entry)] as const))));
  return {
    commands: of((place) => place.commands),
    flags: of((place) => place.flags),
    arguments: of((place) => place.arguments),
  };
}

const underSign = 'sign : ';

type Line = readonly [path: string, line: string];

/**
 * The keys under which the lines of a place stand: `sign diff sale` has those of `sign : sale`, like every tool, and of
 * `sign diff :`. Written out for each tool and operation they more than double the scripts. The scripts know this rule
 * as well.
 */
export function keysOf(path: string): readonly string[] {
  const [first, second = '', ...rest] = path.split(' ');
  if (first !== 'sign' || second === '') return [path];
  if (!tools.includes(second)) return [path, `${underSign}${path.slice('sign '.length)}`];
  return rest.length === 0 ? [path] : [`${underSign}${rest.join(' ')}`, `sign ${second} :`];
}

/** How many places have this key: one behind each tool, and one behind `sign` unless that is a tool itself. */
function placesUnder(key: string): number {
  return tools.includes(key.slice(underSign.length)) ? tools.length : tools.length + 1;
}

/**
 * Lines under the keys of their places, each once. One is shared when it stands behind every tool, and behind `sign`
 * itself.
 */
function shared(all: readonly Line[]): Line[] {
  const lines = [...new Map(all.map((line) => [line.join('|'), line])).values()];
  const keyOf = (path: string) => keysOf(path).find((key) => key.startsWith(underSign));
  const counts = new Map<string, number>();
  for (const [path, line] of lines) {
    const key = `${keyOf(path)}|${line}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const keyed = lines.map(([path, line]): Line => {
    const [first = '', second = first] = keysOf(path);
    const key = keyOf(path);
    const isShared = key !== undefined && counts.get(`${key}|${line}`) === placesUnder(key);
    return [isShared ? key : first === key ? second : first, line];
  });
  return [...new Map(keyed.map((pair) => [pair.join('|'), pair])).values()];
}

function grouped(pairs: readonly Line[]): Group[] {
  const pathsByLine = new Map<string, string[]>();
  for (const [path, line] of pairs) pathsByLine.set(line, [...(pathsByLine.get(line) ?? []), path]);
  const groups = new Map<string, { readonly paths: readonly string[]; readonly lines: string[] }>();
  for (const [line, paths] of pathsByLine) {
    const key = paths.join('\n');
    const group = groups.get(key) ?? { paths, lines: [] };
    group.lines.push(line);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** `name|value|about`, on one line. */
export function lineOf({ name, value, about }: Entry): string {
  return `${name}|${value}|${about.replace(/\s+/g, ' ').trim()}`;
}
