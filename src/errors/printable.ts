// Controls, bidirectional and zero-width characters, line and paragraph separators, halves of surrogate pairs.
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Foreign text made harmless for a terminal: only line feeds and tabs stay, other invisible characters become \u{..}. */
export function printable(text: string): string {
  return text.replace(unprintable, (char) => (char === '\n' || char === '\t' ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`));
}

/** The same for JSON text, which stays JSON with the same meaning. */
export function printableJson(json: string): string {
  return json.replace(unprintable, (char) => {
    if (char === '\n' || char === '\t') return char;
    // Raw, it can only be a blank between tokens.
    if (char === '\r') return ' ';
    return Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  });
}
