// RFC 7693: BLAKE2b and BLAKE2s of any length and with a key of their own, which OpenSSL does not offer.

const permutations = [
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
] as const;

/** Which words of the state are mixed together: the columns, then the diagonals. */
const mixes = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

// The words of SHA-512, the low half of each first; BLAKE2s takes those of SHA-256, which are their high halves.
const start = Uint32Array.of(
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
);

interface Blake2 {
  /** Bytes of a word: 8 for BLAKE2b, 4 for BLAKE2s. */
  readonly word: 4 | 8;
  readonly rounds: number;
  readonly mix: (state: Uint32Array, at: readonly number[], block: Uint32Array, one: number, other: number) => void;
}

const blake2bParts: Blake2 = { word: 8, rounds: 12, mix: mixLong };
const blake2sParts: Blake2 = { word: 4, rounds: 10, mix: mixShort };

export function blake2b(length: number, text: Uint8Array, key: Uint8Array = new Uint8Array()): Buffer {
  return hashed(blake2bParts, length, text, key);
}

export function blake2s(length: number, text: Uint8Array, key: Uint8Array = new Uint8Array()): Buffer {
  return hashed(blake2sParts, length, text, key);
}

/** The longest key. */
export const longestKey = { blake2b: 64, blake2s: 32 } as const;

function hashed(parts: Blake2, length: number, text: Uint8Array, key: Uint8Array): Buffer {
  const halves = parts.word / 4;
  const size = parts.word * 16;
  const input = key.length === 0 ? Buffer.from(text) : Buffer.concat([key, Buffer.alloc(size - key.length), text]);
  const own = halves === 2 ? start : start.filter((_, at) => at % 2 === 1);
  const chain = Uint32Array.from(own);
  chain[0] = (chain[0] ?? 0) ^ 0x01010000 ^ (key.length << 8) ^ length;
  for (let at = 0; at === 0 || at < input.length; at += size) {
    const rest = input.subarray(at, at + size);
    const block = Buffer.alloc(size);
    rest.copy(block);
    compress(parts, chain, own, block, { count: at + rest.length, isLast: at + size >= input.length });
  }
  return littleEndian(chain).subarray(0, length);
}

interface Position {
  readonly count: number;
  readonly isLast: boolean;
}

function compress(
  { word, rounds, mix }: Blake2,
  chain: Uint32Array,
  own: Uint32Array,
  bytes: Buffer,
  { count, isLast }: Position,
): void {
  const halves = word / 4;
  const block = Uint32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(at * 4));
  const state = Uint32Array.of(...chain, ...own);
  // No text is so long that its count has a high half.
  state[12 * halves] = (state[12 * halves] ?? 0) ^ count;
  if (isLast)
    for (let half = 0; half < halves; half += 1) state[14 * halves + half] = ~(state[14 * halves + half] ?? 0);
  for (let round = 0; round < rounds; round += 1) {
    const order = permutations[round % 10] ?? [];
    for (const [which, at] of mixes.entries()) mix(state, at, block, order[2 * which] ?? 0, order[2 * which + 1] ?? 0);
  }
  for (let at = 0; at < chain.length; at += 1)
    chain[at] = (chain[at] ?? 0) ^ (state[at] ?? 0) ^ (state[at + chain.length] ?? 0);
}

function littleEndian(words: Uint32Array): Buffer {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [at, word] of words.entries()) bytes.writeUInt32LE(word, at * 4);
  return bytes;
}

function mixShort(state: Uint32Array, at: readonly number[], block: Uint32Array, one: number, other: number): void {
  const [a = 0, b = 0, c = 0, d = 0] = at;
  const add = (to: number, more: number) => {
    state[to] = (state[to] ?? 0) + more;
  };
  const turn = (to: number, by: number, bits: number) => {
    const both = (state[to] ?? 0) ^ (state[by] ?? 0);
    state[to] = (both >>> bits) | (both << (32 - bits));
  };
  add(a, (state[b] ?? 0) + (block[one] ?? 0));
  turn(d, a, 16);
  add(c, state[d] ?? 0);
  turn(b, c, 12);
  add(a, (state[b] ?? 0) + (block[other] ?? 0));
  turn(d, a, 8);
  add(c, state[d] ?? 0);
  turn(b, c, 7);
}

/** Words of 64 bits in two halves, the low one first. */
function mixLong(state: Uint32Array, at: readonly number[], block: Uint32Array, one: number, other: number): void {
  const [a = 0, b = 0, c = 0, d = 0] = at;
  const add = (to: number, from: Uint32Array, index: number) => {
    const low = (state[2 * to] ?? 0) + (from[2 * index] ?? 0);
    state[2 * to] = low;
    state[2 * to + 1] = (state[2 * to + 1] ?? 0) + (from[2 * index + 1] ?? 0) + (low > 0xffffffff ? 1 : 0);
  };
  const turn = (to: number, by: number, bits: number) => {
    const low = (state[2 * to] ?? 0) ^ (state[2 * by] ?? 0);
    const high = (state[2 * to + 1] ?? 0) ^ (state[2 * by + 1] ?? 0);
    const [first, second, rest] = bits < 32 ? [low, high, bits] : [high, low, bits - 32];
    state[2 * to] = rest === 0 ? first : (first >>> rest) | (second << (32 - rest));
    state[2 * to + 1] = rest === 0 ? second : (second >>> rest) | (first << (32 - rest));
  };
  add(a, state, b);
  add(a, block, one);
  turn(d, a, 32);
  add(c, state, d);
  turn(b, c, 24);
  add(a, state, b);
  add(a, block, other);
  turn(d, a, 16);
  add(c, state, d);
  turn(b, c, 63);
}
