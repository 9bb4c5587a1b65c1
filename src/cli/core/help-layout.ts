/** The help of a command before its lines are broken. */
export interface HelpText {
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

/** Help is laid out for this width where no terminal tells one, and its columns are kept on a terminal as wide. */
const usual = 80;
// Beside a name that leaves fewer columns, its meaning would be a column of single words.
const leastBeside = 26;
const indent = ' '.repeat(6);

/** The help for a terminal of this width. */
export function layOut({ usage, about, items, column, notes }: HelpText, columns: number): string {
  const text = about === '' ? '' : `${wrapped(about, columns)}\n\n`;
  const lines = items.split('\n').map((line) => item(line.slice(0, column), line.slice(column), columns));
  const end = notes === '' ? '' : `${items === '' ? '' : '\n'}${wrapped(notes, columns)}\n`;
  return `${wrapped(usage, columns, { rest: '  ' })}\n\n${text}${lines.join('\n')}${end}`;
}

/** The help of the program, whose commands stand beside what they do, for a terminal of this width. */
export function layOutRoot(text: string, columns: number): string {
  if (columns >= usual || columns < narrowest) return text;
  // What goes on below its beginning is one line again first.
  const joined = text.replaceAll(/\n {6,}(?=\S)/g, ' ');
  const lines = joined.split('\n').map((line) => {
    const [, name = '', meaning = ''] = /^( {2}\S.*? {2,})(\S.*)$/.exec(line) ?? [];
    return name === '' ? wrapped(line, columns) : item(name, meaning, columns);
  });
  return lines.join('\n');
}

/** A name and its meaning: beside it, or below it where that would leave too little room. */
function item(name: string, meaning: string, columns: number): string {
  if (columns < narrowest) return name + meaning;
  if (meaning === '') return wrapped(name, columns, { rest: indent });
  const isBelow = columns < usual && columns - name.length < leastBeside;
  const start = isBelow ? indent.length : name.length;
  const lines = wrapped(meaning, columns, { start }).replaceAll('\n', `\n${' '.repeat(start)}`);
  return isBelow ? `${wrapped(name.trimEnd(), columns, { rest: indent })}\n${indent}${lines}` : name + lines;
}

interface Placed {
  /** Where every line begins. */
  readonly start?: number;
  /** What stands before each line but the first. */
  readonly rest?: string;
}

function wrapped(text: string, columns: number, { start = 0, rest }: Placed = {}): string {
  if (columns - start < narrowest) return text;
  const unit = columns < usual ? /\s*(?:`[^`]*`|\S)+/g : /\s*\S+/g;
  const lines = (columns < usual ? withWholeCommands(text) : text).split('\n').map((line) => {
    if (/^ {2}paycli /.test(line)) return wrappedCommand(line, columns);
    return wrappedLine(line.match(unit) ?? [], columns - start, rest ?? /^ */.exec(line)?.[0] ?? '');
  });
  return lines.join('\n');
}

/** Examples that were broken for the usual width are one line again, to be broken for this terminal. */
function withWholeCommands(text: string): string {
  return text.replaceAll(/^ {2}paycli (?:.* \\\n)+.*$/gm, (command) => command.replaceAll(/ \\\n */g, ' '));
}

/** Breaks a line between words and drops the blanks there. On a narrow terminal a command in backticks is one word. */
function wrappedLine(words: readonly string[], columns: number, rest: string): string {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of words) {
    if (line === undefined) line = word;
    else if (line.length + word.length <= columns) line += word;
    else {
      lines.push(line);
      line = rest + word.trimStart();
    }
  }
  return [...lines, line ?? ''].join('\n');
}

/** Breaks an example between words, each line but the last ending in a backslash: pasted, it is still one command. */
function wrappedCommand(text: string, columns: number): string {
  if (text.length <= columns || columns >= usual) return text;
  const lines: string[] = [];
  let line = '';
  for (const [word] of text.matchAll(/ *(?:"[^"]*"|'[^']*'|[^ "'])+/g)) {
    if (line === '' || line.length + word.length + 2 <= columns) line += word;
    else {
      lines.push(line);
      line = `   ${word}`;
    }
  }
  return [...lines, line].join(' \\\n');
}
