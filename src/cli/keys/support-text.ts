import { shellWord } from '../../errors/index.js';

/** Whose key it is; empty without a profile. */
export interface Applicant {
  readonly profile?: string;
  readonly login?: string;
  readonly endpointId?: string | undefined;
}

interface NewKey {
  readonly bits: number;
  readonly fingerprint: string;
  /** The public key. */
  readonly pem: string;
  readonly publicFile: string;
}

/** What to send to the gateway's support, word for word. Holds nothing secret. */
export function supportText({ bits, fingerprint, pem, publicFile }: NewKey, { login, endpointId }: Applicant): string {
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
