/** A block of text for a terminal or a man page. Backticks mark what one types or sees. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'terms'; readonly terms: readonly Term[] }
  /** The first row is the head. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  /** Kept verbatim: files, command lines, printed output. */
  | { readonly kind: 'lines'; readonly lines: readonly string[] };

/** In a list without terms, the term is the bullet: `-`, or a number with a point. */
export type Term = readonly [term: string, meaning: string];

export interface Topic {
  readonly name: string;
  /** What it is about, on one line. */
  readonly brief: string;
  readonly blocks: readonly Block[];
}

/**
 * Reads the Markdown of a help topic: a title `# name: brief`, headings `##`, paragraphs, tables, fenced lines, and
 * lists whose entries are `- `term`: meaning`, `- **term**: meaning`, plain, or numbered. Anything else is read as a
 * paragraph. Comments are left out.
 */
export function readMarkdown(text: string): Topic {
  const {
    name = '',
    brief = '',
    body = '',
  } = /^# (?<name>\S+): (?<brief>.+)\n(?<body>[\s\S]*)$/.exec(text)?.groups ?? {};
  const parts = body.replace(/^<!--.*-->\n/gm, '').split(/^(```\w*\n[\s\S]*?^```\n)/m);
  return {
    name,
    brief,
    blocks: parts.flatMap((part) =>
      part.startsWith('```')
        ? [fenced(part)]
        : part
            .trim()
            .split(/\n{2,}/)
            .flatMap(block),
    ),
  };
}

function fenced(part: string): Block {
  return { kind: 'lines', lines: part.trimEnd().split('\n').slice(1, -1) };
}

function block(part: string): Block[] {
  if (part === '') return [];
  if (part.startsWith('## ')) return [{ kind: 'heading', text: part.slice('## '.length) }];
  if (part.startsWith('| ')) return [{ kind: 'table', rows: part.split('\n').flatMap(cells) }];
  if (/^(?:-|\d+\.) /.test(part)) return [{ kind: 'terms', terms: part.split(/\n(?=\S)/).map(term) }];
  return [{ kind: 'text', text: joined(part) }];
}

/** The line below a table header has no cells. */
function cells(line: string): string[][] {
  if (/^[-:| ]+$/.test(line)) return [];
  const all = line.replace(/^\| ?| ?\|$/g, '').split(/(?<!\\)\|/);
  return [all.map((cell) => cell.trim().replace(/\\([|<])/g, '$1'))];
}

function term(entry: string): Term {
  const [, mark = '', rest = ''] = /^(\S+) ([\s\S]*)$/.exec(entry) ?? [];
  const [, code, bold, meaning] = /^(?:`([^`]+)`|\*\*([^*]+)\*\*): ([\s\S]*)$/.exec(rest) ?? [];
  const named = mark === '-' ? (code ?? bold) : undefined;
  return named === undefined ? [mark, joined(rest)] : [named, joined(meaning ?? '')];
}

function joined(lines: string): string {
  return lines.replace(/\s*\n\s*/g, ' ');
}
