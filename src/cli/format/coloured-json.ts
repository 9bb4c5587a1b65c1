import type { Paint } from '../../runtime/ports.js';

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** JSON text, or a part that splits no value, with coloured keys and values; unchanged without colour. */
export function colouredJson(text: string, paint: Paint): string {
  if (paint.name('x') === 'x') return text;
  return text.replace(token, (whole, string?: string, colon?: string) => {
    if (string === undefined) return whole === 'null' ? paint.dim(whole) : paint.warn(whole);
    return colon === undefined ? paint.good(string) : `${paint.name(string)}${colon}`;
  });
}
