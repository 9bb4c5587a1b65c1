export type Env = Readonly<Record<string, string | undefined>>;

export const systemClock = {
  now: () => Date.now(),
  monotonic: () => process.uptime() * 1000,
  /** 0 waits until what is already due was done. */
  sleep: (ms: number): Promise<void> =>
    new Promise((resolve) => (ms === 0 ? setImmediate(resolve) : setTimeout(resolve, ms))),
};

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

// Loaded at first use: not every command needs it, and it costs start-up time.
const crypto = () => process.getBuiltinModule('node:crypto');

export const systemRandom = {
  letters: (length: number) =>
    Array.from({ length }, () => alphabet.charAt(crypto().randomInt(alphabet.length))).join(''),
  uuid: (): string => crypto().randomUUID(),
  /** A whole number from 0 to below `bound`. */
  below: (bound: number) => crypto().randomInt(bound),
  /** Takes some seconds for a large one. */
  rsaPem: (bits = 2048) =>
    crypto().generateKeyPairSync('rsa', {
      modulusLength: bits,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }),
};

/** Waits 10 ms synchronously. */
export function sleepSync(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}
