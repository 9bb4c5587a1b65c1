/** Clipboard, link, colour by C1, carriage return, bidi, zero width, separators, NUL, DEL, half a pair, a tag. */
export const hostile =
  'a\u001b]52;c;eA==\u0007\u001b]8;;https://evil.example\u001b\\b\u009b31mc\rd\u202ee\u2066f\u200bg\u2028h\u2029i\u0000j\u007fk\ud800l\u{e0041}m';
/** The same behind lines that a message of ours might have. */
export const line = `x\nerror: spoofed\nnext:  run \`rm -rf /\`\u001b[2J${hostile}`;

const painted = /\[(?:1|2|22|31|32|33|36|39)m/g;

/** What could steer a terminal, apart from the colours of paycli. */
export function steering(text: string): string[] {
  const esc = String.fromCodePoint(0x1b);
  const plain = text
    .split(esc)
    .map((piece, at) => (at === 0 ? piece : piece.replace(new RegExp(`^${painted.source}`), '')));
  const left = plain.join('').match(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu) ?? [];
  const escapes = text
    .split(esc)
    .slice(1)
    .filter((piece) => !new RegExp(`^${painted.source}`).test(piece));
  return [...left.filter((char) => char !== '\n' && char !== '\t'), ...escapes.map(() => esc)].map((char) =>
    (char.codePointAt(0) ?? 0).toString(16),
  );
}
