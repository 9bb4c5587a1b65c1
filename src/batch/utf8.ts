const newline = 10;

/** Tells the line of the first byte that is no UTF-8. */
export class Utf8Check {
  readonly #decoder = strict();
  #line = 1;

  /** The line of the fault, in a piece or at the end of the file; undefined where there is none. */
  faultIn(piece: Uint8Array | undefined): number | undefined {
    try {
      this.#decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      return this.#line + (piece === undefined ? 0 : linesBeforeFault(piece));
    }
    if (piece !== undefined) this.#line += linesIn(piece);
    return undefined;
  }
}

/** No character but the newline itself has its byte, so each line of a piece can be read alone; the first may begin inside a character. */
function linesBeforeFault(piece: Uint8Array): number {
  for (let from = 0, lines = 0; ; lines += 1) {
    const end = piece.indexOf(newline, from);
    // The last line may end inside a character, so it is the one that is left.
    if (end === -1) return lines;
    if (!isUtf8(piece.subarray(from === 0 ? continuedIn(piece) : from, end))) return lines;
    from = end + 1;
  }
}

/** Bytes at the beginning that go on with a character of the piece before. */
function continuedIn(piece: Uint8Array): number {
  const first = piece.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, Math.min(first, 3));
}

function linesIn(piece: Uint8Array): number {
  let lines = 0;
  for (let at = piece.indexOf(newline); at !== -1; at = piece.indexOf(newline, at + 1)) lines += 1;
  return lines;
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict().decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function strict() {
  return new TextDecoder('utf-8', { fatal: true });
}
