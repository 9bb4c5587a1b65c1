import { bold, line } from './roff.js';

/** `paycli-sale(1)` and so on, as a paragraph. */
export function seeAlso(pages: readonly string[]): string {
  return `.PP\n${line([...new Set(pages)].map(pageName).join(',\n'))}\n`;
}

/** `paycli-sale(1)` with its name in bold. */
export function pageName(page: string): string {
  const [name = '', number = ''] = page.split('(');
  return `${bold(name)}(${number}`;
}
