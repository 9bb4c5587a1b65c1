import type { Entry, Place } from './model.js';

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
    grouped(places.flatMap((place) => entries(place).map((entry) => [place.path, write(entry)] as const)));
  return { commands: of((place) => place.commands), flags: of((place) => place.flags), arguments: of((place) => place.arguments) };
}

function grouped(pairs: readonly (readonly [path: string, line: string])[]): Group[] {
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
