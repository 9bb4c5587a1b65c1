import { html } from 'hono/html';
import { statusText } from '../../spec/transaction-words.js';
import { type Html, pagesPath } from '../pages/html.js';

/** What all pages have in common. Only what is inside `live` changes by itself. */
export function frame(title: string, offsetMs: number, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · paycli sandbox</title>
        <link rel="stylesheet" href="${pagesPath}/style.css" />
        <script src="${pagesPath}/live.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar"><a href="/">paycli sandbox</a><span id="pulse" role="status"></span></header>
        <main id="main" class="wide" tabindex="-1"><div id="live">${content}</div></main>
        <footer>
          Times are UTC on the sandbox clock${offsetMs !== 0 && `, which was advanced by ${durationText(offsetMs)}`}.
          Nobody is charged here.
        </footer>
      </body>
    </html>`;
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

export function timeOf(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`;
}

/** A status as word and colour. The word alone says it all. */
export function statusBadge(word: string): Html {
  return html`<span class="status is-${word.replaceAll('_', '-')}">${statusText(word)}</span>`;
}

export type Cell = Html | string | undefined;

interface TableParts {
  readonly caption: string;
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly string[];
  /** The first cell names its row. */
  readonly rows: readonly (readonly Cell[])[];
}

/** What is too wide for a phone is scrolled sideways, by keys as well. */
export function table({ caption, isCaptionHidden, columns, rows }: TableParts): Html {
  const body = rows.map(
    ([name, ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  );
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption${isCaptionHidden === true && html` class="hidden"`}>${caption}</caption>
      <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
      <tbody>${body}</tbody>
    </table>
  </div>`;
}

/** What stands between backquotes is something to type. */
export function TextWithCode({ text }: { readonly text: string }): Html {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
