import { withTilde } from '../../config/file-access.js';
import type { ExplainRow } from '../../config/index.js';
import { findConfigFiles } from '../../config/sources.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Output, Sheet } from './document.js';
import { oneLine } from './document.js';

/** `shop (test)`; `-` where none was recorded. */
export function profileText({
  profile,
  class: kind,
}: {
  readonly profile?: string | undefined;
  readonly class?: string | undefined;
}): string {
  if (profile === undefined) return '-';
  return kind === undefined || kind === profile ? profile : `${profile} (${kind})`;
}

/**
 * ` --profile shop` for a command that is shown; nothing for the names that stand for a connection without a profile.
 */
export function profileFlag(profile: string): string {
  return profile === 'environment' || profile === 'flags' ? '' : ` --profile ${profile}`;
}

/** Values with their origins; overridden ones are marked. */
export function rowSheet(rows: readonly ExplainRow[]): Sheet {
  return {
    columns: [{ head: 'key' }, { head: 'value', flexible: true }, { head: 'from', flexible: true }],
    rows: rows.map(({ key, value, origin, hidden }) =>
      [key, hidden ? `${value} (hidden)` : value, origin].map(oneLine),
    ),
  };
}

/** The same for people: each configuration file is named once, below the table, to keep the rows short. */
export function rowText(rows: readonly ExplainRow[], report: Pick<Output, 'sheet'>, { files }: Runtime): string {
  const { home } = files.folders;
  const { user, project } = findConfigFiles(files);
  const places = Object.entries({ user, project }).flatMap(([name, path]) =>
    path !== undefined && rows.some((row) => row.origin.startsWith(`${path}: `)) ? [{ name, path }] : [],
  );
  const sheet = report.sheet(
    rowSheet(rows.map((row) => ({ ...row, value: placeText(row.value, home), origin: originText(row, places) }))),
  );
  const legend = places.map(({ name, path }) => `${name} file: ${oneLine(withTilde(path, home))}\n`).join('');
  return `${sheet}${legend === '' ? '' : `\n${legend}`}`;
}

interface ConfigPlace {
  readonly name: string;
  readonly path: string;
}

/** `user: profiles.shop` for the key `login` of that profile. */
function originText({ key, origin }: ExplainRow, places: readonly ConfigPlace[]): string {
  const place = places.find(({ path }) => origin.startsWith(`${path}: `));
  if (place === undefined) return origin;
  const at = origin.slice(place.path.length + 2);
  const end = at.lastIndexOf(`.${key}`);
  return `${place.name}: ${end === -1 ? at : at.slice(0, end)}`;
}

function placeText(value: string, home: string): string {
  const word = 'file ';
  return value.startsWith(word) ? word + withTilde(value.slice(word.length), home) : value;
}
