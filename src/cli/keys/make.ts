import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { generateRsa, type KeyPair } from '../../signing/keys/write.js';
import type { Reporter } from '../reporter.js';

/** Makes an RSA pair. A signal during the making ends it; while `write` puts it into files it has to wait. */
export async function makePair(bits: number, report: Reporter, runtime: Runtime, write: (pair: KeyPair) => void): Promise<KeyPair> {
  let unlisten = () => {};
  const stopped = new Promise<never>((_, reject) => {
    unlisten = runtime.processes.onStop((signal) => reject(fail(signal === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED')));
  });
  report.progress(`making an RSA key of ${bits} bits …`);
  try {
    const pair = await Promise.race([generateRsa(bits), stopped]);
    write(pair);
    return pair;
  } finally {
    report.progress(undefined);
    unlisten();
  }
}
