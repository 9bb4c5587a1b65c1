/**
 * The candidate a mistyped word most likely meant; undefined when none is close enough.
 * Only for suggestions: nothing may act on the result. Case and the kind of dash make no difference.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = plain(word);
  if (typed === '' || typed.length > 64) return undefined;
  let found: string | undefined;
  // A word of one or two letters is close to everything.
  let min = typed.length < 3 ? 1 : Math.min(3, Math.floor(typed.length / 3)) + 1;
  for (const candidate of candidates) {
    const other = plain(candidate);
    if (Math.abs(other.length - typed.length) >= min) continue;
    const edits = distance(typed, other);
    if (edits < min) {
      min = edits;
      found = candidate;
    }
  }
  return found;
}

/** The advice after an error about an unknown word: the candidate it most likely meant, else `otherwise`. */
export function suggest(word: string, candidates: Iterable<string>, otherwise = ''): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? otherwise : `; did you mean ${meant}?`;
}

/** What is wrong with a value by name: an instruction follows a colon, a statement its subject. */
export function reasonText(name: string, why: string): string {
  return `${name}${/^(?:use|leave out|check) /.test(why) ? ':' : ''} ${why}`;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll('_', '-');
}

/** Letters added, dropped, changed, or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const changed = at(above, column - 1) + (same ? 0 : 1);
      const edits = Math.min(at(above, column) + 1, at(line, column - 1) + 1, changed);
      line.push(swapped ? Math.min(edits, at(before, column - 2) + 1) : edits);
    }
    before = above;
    above = line;
  }
  return at(above, b.length);
}

function at(line: readonly number[], index: number): number {
  return line[index] ?? Number.POSITIVE_INFINITY;
}

// Controls, bidirectional and zero-width characters, line and paragraph separators, halves of surrogate pairs.
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Untrusted text made safe for a terminal: only line feeds and tabs stay, other invisible characters become \u{..}.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (char) =>
    char === '\n' || char === '\t' ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The same for JSON text, which stays JSON with the same meaning. */
export function printableJson(json: string): string {
  return json.replace(unprintable, (char) => {
    if (char === '\n' || char === '\t') return char;
    // Outside an escape, it can only be a blank between tokens.
    if (char === '\r') return ' ';
    return Array.from(
      { length: char.length },
      (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join('');
  });
}

/**
 * A word of a command that we suggest, for a POSIX shell: quoted where it needs to be. Text that could do more than be
 * one word there (control and invisible characters, or a beginning that a program takes for a flag) is replaced by
 * `instead`.
 */
export function shellWord(text: string, instead = '…'): string {
  if (text === '' || text.startsWith('-') || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text)) return instead;
  // At the beginning of a word a shell replaces ~ by a home folder, and zsh =name by a program.
  return /^[A-Za-z0-9_.:/@%+,-][A-Za-z0-9_.:/@%+=,~-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Everything wrong with one input: by itself, or as a list below a line that counts. */
export function problemsText(problems: readonly string[]): string {
  const [only] = problems;
  if (only !== undefined && problems.length === 1) return only;
  return `${problems.length} problems:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
}

/** What a text says of a value, where that is known. */
export function ifKnown(value: string | number | undefined, say: (value: string | number) => string): string {
  return value === undefined || value === '' ? '' : say(value);
}
