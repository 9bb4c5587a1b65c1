/** The help of a command as the build stores it: complete but for its line breaks, which depend on the terminal. */
export interface HelpSheet {
  readonly usage: string;
  readonly about: string;
  /** Headings, flags and commands, one per line; descriptions start at `column`. */
  readonly items: string;
  readonly column: number;
  /** Notes at its end. */
  readonly notes: string;
}

/** Narrower than this, texts are left as they are. */
const narrowest = 20;

/** The help for a terminal of this width, exactly as commander would print it. */
export function layOut({ usage, about, items, column, notes }: HelpSheet, columns: number): string {
  const text = about === '' ? '' : `${wrapped(about, columns)}\n\n`;
  const lines = items.split('\n').map((line) => {
    const meaning = line.slice(column);
    return meaning === ''
      ? line
      : line.slice(0, column) + wrapped(meaning, columns - column).replaceAll('\n', `\n${' '.repeat(column)}`);
  });
  const end = notes === '' ? '' : `${items === '' ? '' : '\n'}${wrapped(notes, columns)}\n`;
  return `${usage}\n\n${text}${lines.join('\n')}${end}`;
}

function wrapped(text: string, columns: number): string {
  return columns < narrowest
    ? text
    : text
        .split('\n')
        .map((line) => wrappedLine(line, columns))
        .join('\n');
}

/** Breaks a line at spaces, which are dropped at the break. */
function wrappedLine(text: string, columns: number): string {
  const lines: string[] = [];
  let line: string | undefined;
  for (const [word] of text.matchAll(/\s*\S+/g)) {
    if (line === undefined) line = word;
    else if (line.length + word.length <= columns) line += word;
    else {
      lines.push(line);
      line = word.trimStart();
    }
  }
  return [...lines, line ?? ''].join('\n');
}
