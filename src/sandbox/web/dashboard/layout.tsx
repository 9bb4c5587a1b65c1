import type { Child } from 'hono/jsx';
import { statusText } from '../../../spec/transaction-words.js';

interface FrameProps {
  readonly title: string;
  /** The newest event the page knows of. */
  readonly last: number;
  /** How far the sandbox clock was moved. */
  readonly offsetMs: number;
  readonly children?: Child;
}

/** What all pages have in common. Only what is inside `live` changes by itself. */
export function Frame({ title, last, offsetMs, children }: FrameProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · paycli sandbox`}</title>
        <link rel="stylesheet" href="/dashboard.css" />
        <script src="/dashboard.js" defer />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="bar">
          <p class="brand">
            <span class="mark" aria-hidden="true" />
            <a href="/">paycli sandbox</a>
          </p>
          <p id="pulse" class="pulse" role="status" />
        </header>
        <main id="main" tabindex={-1}>
          <div id="live" data-last={String(last)}>
            {children}
          </div>
        </main>
        <footer class="foot">
          <p>
            Times are UTC on the sandbox clock
            {offsetMs === 0 ? '' : `, which was advanced by ${durationText(offsetMs)}`}. Nobody is charged here.
          </p>
        </footer>
      </body>
    </html>
  );
}

function durationText(ms: number): string {
  const sign = ms < 0 ? '-' : '';
  const minutes = Math.round(Math.abs(ms) / 60_000);
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  const text = parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
  return text === '' ? 'less than a minute' : `${sign}${text}`;
}

export function Time({ at }: { readonly at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{iso.slice(0, 19).replace('T', ' ')}</time>;
}

/** A status as word and colour. The word alone says it all. */
export function Status({ word }: { readonly word: string }) {
  return <span class={`status is-${word.replaceAll('_', '-')}`}>{statusText(word)}</span>;
}

export function Pairs({ rows }: { readonly rows: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="pairs">
      {rows.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value === '' ? '(empty)' : value}</dd>
        </div>
      ))}
    </dl>
  );
}

// On a phone the rows are shown as cards, and then browsers forget that it is a table unless it says so.
const roles = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  column: { role: 'columnheader' },
  name: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const;

interface TableProps {
  readonly caption: string;
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly string[];
  readonly children?: Child;
}

/** The column called Amount is the one of numbers. */
export function Table({ caption, isCaptionHidden, columns, children }: TableProps) {
  return (
    <table class="cards" {...roles.table}>
      <caption class={isCaptionHidden === true ? 'hidden' : undefined}>{caption}</caption>
      <thead {...roles.group}>
        <tr {...roles.row}>
          {columns.map((name) => (
            <th scope="col" class={name === 'Amount' ? 'amount' : undefined} {...roles.column}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...roles.group}>{children}</tbody>
    </table>
  );
}

export function Row({ children }: { readonly children?: Child }) {
  return <tr {...roles.row}>{children}</tr>;
}

interface CellProps {
  /** The name of its column, for a phone. */
  readonly label: string;
  readonly children?: Child;
}

/** The cell that names its row. */
export function NameCell({ label, children }: CellProps) {
  return (
    <th scope="row" data-label={label} {...roles.name}>
      {children}
    </th>
  );
}

export function Cell({ label, children }: CellProps) {
  return (
    <td data-label={label} class={label === 'Amount' ? 'amount' : undefined} {...roles.cell}>
      {children}
    </td>
  );
}

interface PagingProps {
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  readonly addressOf: (page: number) => string;
}

/** The links to the pages of a list, which is newest first; nothing where there is only one. */
export function Paging({ page, pages, addressOf }: PagingProps) {
  if (pages === 1) return null;
  return (
    <nav class="paging" aria-label="Pages of the list">
      {page > 1 ? <a href={addressOf(page - 1)}>Newer</a> : <span>Newer</span>}
      {page < pages ? <a href={addressOf(page + 1)}>Older</a> : <span>Older</span>}
    </nav>
  );
}

/** What stands between backquotes is something to type. */
export function TextWithCode({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code>{part}</code>))}</>;
}
