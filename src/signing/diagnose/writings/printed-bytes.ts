const named: Readonly<Record<number, string>> = { 9: '\\t', 10: '\\n', 13: '\\r', 92: '\\\\' };
const rubyNamed: Readonly<Record<number, string>> = {
  ...named,
  ...{ 7: '\\a', 8: '\\b', 11: '\\v', 12: '\\f', 27: '\\e' },
};

const isPrintable = (byte: number) => byte >= 32 && byte < 127;
const escaped = (byte: number) => `\\x${byte.toString(16).padStart(2, '0')}`;

/** As Python prints bytes. */
export function pythonBytes(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = Array.from(bytes, (byte) => {
    const char = String.fromCharCode(byte);
    if (char === quote) return `\\${char}`;
    return named[byte] ?? (isPrintable(byte) ? char : escaped(byte));
  }).join('');
  return `b${quote}${body}${quote}`;
}

/** As Ruby inspects a text of bytes. */
export function rubyBytes(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  const body = Array.from(bytes, (byte, at) => {
    const char = String.fromCharCode(byte);
    const isCode = char === '#' && /[{$@]/.test(text.charAt(at + 1));
    if (char === '"' || isCode) return `\\${char}`;
    return rubyNamed[byte] ?? (isPrintable(byte) ? char : escaped(byte).toUpperCase().replace('X', 'x'));
  }).join('');
  return `"${body}"`;
}
