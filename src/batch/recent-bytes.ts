import type { Spot } from './fault.js';

const mostPieces = 4;

/** The last bytes of a file that is read in pieces: enough for any row that has just been read. */
export class RecentBytes {
  readonly #pieces: Uint8Array[] = [];
  #end = 0;

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#end += piece.length;
    if (this.#pieces.length > mostPieces) this.#pieces.shift();
  }

  slice({ from, bytes }: Pick<Spot, 'from' | 'bytes'>): Buffer {
    const parts: Uint8Array[] = [];
    let start = this.#end - this.#pieces.reduce((sum, { length }) => sum + length, 0);
    for (const piece of this.#pieces) {
      parts.push(piece.subarray(Math.max(0, from - start), Math.max(0, from + bytes - start)));
      start += piece.length;
    }
    return Buffer.concat(parts);
  }
}
