/** BLAKE2 (RFC 7693) of any length, and with a key, which the OpenSSL of Node does not have. */

interface Blake2 {
  readonly wordBits: 32 | 64;
  readonly rounds: number;
  readonly rotations: readonly [number, number, number, number];
  readonly start: readonly bigint[];
}

const blake2b: Blake2 = {
  wordBits: 64,
  rounds: 12,
  rotations: [32, 24, 16, 63],
  start: [
    0x6a09e667f3bcc908n,
    0xbb67ae8584caa73bn,
    0x3c6ef372fe94f82bn,
    0xa54ff53a5f1d36f1n,
    0x510e527fade682d1n,
    0x9b05688c2b3e6c1fn,
    0x1f83d9abfb41bd6bn,
    0x5be0cd19137e2179n,
  ],
};

const blake2s: Blake2 = {
  wordBits: 32,
  rounds: 10,
  rotations: [16, 12, 8, 7],
  // Of SHA-256: the upper halves of those of BLAKE2b.
  start: blake2b.start.map((word) => word >> 32n),
};

const orders = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
const quarters = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

export function blake2bOf(length: number, text: Uint8Array, key: Uint8Array = new Uint8Array()): Buffer {
  return digest(blake2b, length, text, key);
}

export function blake2sOf(length: number, text: Uint8Array, key: Uint8Array = new Uint8Array()): Buffer {
  return digest(blake2s, length, text, key);
}

/** A key longer than a digest is cut, as it cannot be given to BLAKE2. */
function digest(kind: Blake2, length: number, text: Uint8Array, key: Uint8Array): Buffer {
  const wordBytes = kind.wordBits / 8;
  const blockBytes = wordBytes * 16;
  const own = key.subarray(0, wordBytes * 8);
  const block = own.length === 0 ? Buffer.alloc(0) : Buffer.alloc(blockBytes);
  block.set(own);
  const all = Buffer.concat([block, text]);
  const state = [...kind.start];
  state[0] = (state[0] ?? 0n) ^ BigInt(0x01010000 | (own.length << 8) | length);
  for (let at = 0; at === 0 || at < all.length; at += blockBytes) {
    const end = Math.min(at + blockBytes, all.length);
    compress(kind, state, all.subarray(at, end), BigInt(end), end === all.length);
  }
  const out = Buffer.alloc(wordBytes * 8);
  for (const [at, word] of state.entries())
    for (let byte = 0; byte < wordBytes; byte += 1)
      out[at * wordBytes + byte] = Number((word >> BigInt(byte * 8)) & 0xffn);
  return out.subarray(0, length);
}

function compress(kind: Blake2, state: bigint[], block: Uint8Array, counted: bigint, isLast: boolean): void {
  const { wordBits, rounds, rotations, start } = kind;
  const words = wordsOf(block, wordBits / 8);
  const work = [...state, ...start];
  work[12] = (work[12] ?? 0n) ^ counted;
  if (isLast) work[14] = BigInt.asUintN(wordBits, ~(work[14] ?? 0n));
  const turn = (word: bigint, by: number) =>
    BigInt.asUintN(wordBits, (word >> BigInt(by)) | (word << BigInt(wordBits - by)));
  const mix = ([a = 0, b = 0, c = 0, d = 0]: readonly number[], one: bigint, other: bigint) => {
    for (const [word, first, second] of [
      [one, rotations[0], rotations[1]],
      [other, rotations[2], rotations[3]],
    ] as const) {
      work[a] = BigInt.asUintN(wordBits, (work[a] ?? 0n) + (work[b] ?? 0n) + word);
      work[d] = turn((work[d] ?? 0n) ^ (work[a] ?? 0n), first);
      work[c] = BigInt.asUintN(wordBits, (work[c] ?? 0n) + (work[d] ?? 0n));
      work[b] = turn((work[b] ?? 0n) ^ (work[c] ?? 0n), second);
    }
  };
  for (let round = 0; round < rounds; round += 1) {
    const order = orders[round % 10] ?? [];
    for (const [at, places] of quarters.entries())
      mix(places, words[order[at * 2] ?? 0] ?? 0n, words[order[at * 2 + 1] ?? 0] ?? 0n);
  }
  for (const [at, word] of state.entries()) state[at] = word ^ (work[at] ?? 0n) ^ (work[at + 8] ?? 0n);
}

function wordsOf(block: Uint8Array, wordBytes: number): bigint[] {
  return Array.from({ length: 16 }, (_, at) => {
    let word = 0n;
    for (let byte = wordBytes - 1; byte >= 0; byte -= 1)
      word = (word << 8n) | BigInt(block[at * wordBytes + byte] ?? 0);
    return word;
  });
}
