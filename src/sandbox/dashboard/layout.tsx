import type { Child } from 'hono/jsx';
import { statusText } from '../../spec/transaction-words.js';

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
  const minutes = Math.round(ms / 60_000);
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  const text = parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
  return text === '' ? 'less than a minute' : text;
}

export function Time({ at }: { readonly at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{iso.slice(0, 19).replace('T', ' ')}</time>;
}

/** A status as word and colour. The word alone says it all. */
export function Status({ word }: { readonly word: string }) {
  return <span class={`status is-${word.replaceAll('_', '-')}`}>{statusText(word)}</span>;
}

const as = (role: 'table' | 'rowgroup' | 'row' | 'columnheader' | 'rowheader' | 'cell') => ({ role });

interface TableProps {
  readonly caption: string;
  readonly isCaptionHidden?: boolean;
  /** The one called Amount is that of numbers. */
  readonly columns: readonly string[];
  /** The first cell names its row. */
  readonly rows: readonly (readonly Child[])[];
}

/**
 * On a phone the rows are shown as cards, whose cells say their columns; browsers forget then that it is a table unless
 * it says so.
 */
export function Table({ caption, isCaptionHidden, columns, rows }: TableProps) {
  const about = (column: string) => (column === 'Amount' ? { class: 'amount' } : {});
  return (
    <table class="cards" {...as('table')}>
      <caption class={isCaptionHidden === true ? 'hidden' : undefined}>{caption}</caption>
      <thead {...as('rowgroup')}>
        <tr {...as('row')}>
          {columns.map((column) => (
            <th scope="col" {...as('columnheader')} {...about(column)}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...as('rowgroup')}>
        {rows.map(([name, ...cells]) => (
          <tr {...as('row')}>
            <th scope="row" {...as('rowheader')} data-label={columns[0]}>
              {name}
            </th>
            {cells.map((cell, at) => (
              <td {...as('cell')} data-label={columns[at + 1]} {...about(columns[at + 1] ?? '')}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What stands between backquotes is something to type. */
export function TextWithCode({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code>{part}</code>))}</>;
}
