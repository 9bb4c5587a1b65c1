import { fail, shellWord } from '../../../errors/index.js';
import type { RsaPair, Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';

/** Makes an RSA pair. A signal during the making ends it; while `write` puts it into files it has to wait. */
export async function generatePair(
  bits: number,
  report: Reporter,
  runtime: Runtime,
  write: (pair: RsaPair) => void,
): Promise<RsaPair> {
  let unlisten = () => {};
  const stopped = new Promise<never>((_, reject) => {
    unlisten = runtime.processes.onStop((signal) =>
      reject(fail(signal === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED', { nothing: 'no key was generated' })),
    );
  });
  report.progress(`generating an RSA key of ${bits} bits …`);
  try {
    const pair = await Promise.race([runtime.rsaPair(bits), stopped]);
    write(pair);
    return pair;
  } finally {
    report.progress(undefined);
    unlisten();
  }
}

/** Whose key it is; empty without a profile. */
export interface KeyOwner {
  readonly profile?: string;
  readonly login?: string;
  readonly endpointId?: string | undefined;
  readonly isLive?: boolean;
}

interface NewKey {
  readonly bits: number;
  readonly fingerprint: string;
  /** The public key. */
  readonly pem: string;
  readonly publicFile: string;
}

/** What to send to the gateway's support, word for word. Holds nothing secret. */
export function supportText({ bits, fingerprint, pem, publicFile }: NewKey, { login, endpointId }: KeyOwner): string {
  return `Please register this public key for our requests signed with
RSA-SHA256 (OAuth 1.0a).

Login:        ${login ?? '(your merchant login)'}
Endpoint:     ${endpointId ?? '(your endpoint id)'}
Key:          RSA, ${bits} bits
Fingerprint:
${fingerprint}

${pem}
The fingerprint is the SHA-256 of the key in DER:
openssl pkey -pubin -in ${shellWord(publicFile.replace(/^.*[\\/]/, ''))} -outform DER |
  openssl dgst -sha256
`;
}
