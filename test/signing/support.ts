import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Pair } from '../../src/wire/form.js';

export const vectorFolder = fileURLToPath(new URL('../vectors', import.meta.url));

export const pem = (name: string): string => readFileSync(`${vectorFolder}/keys/${name}.pem`, 'utf8');

/** What a shell command prints, run beside the vectors. */
export function shell(command: string, input = ''): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: vectorFolder, input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}\n${stderr}`);
  return stdout.trim();
}

export interface ControlVector {
  name: string;
  operations: string[];
  slots: string[];
  values: Record<string, string>;
  signed: string[];
  encoding: 'hex-lower' | 'hex-upper' | 'base64';
  minor?: string;
  control: string;
  'made-by': string;
}

interface OauthVectorBase {
  name: string;
  method: string;
  url: string;
  pairs: Pair[];
  parameters: string;
  baseString: string;
  signature: string;
  'made-by': string;
}

export type OauthVector = OauthVectorBase &
  (
    | { signatureMethod: 'HMAC-SHA1'; consumerSecret: string; tokenSecret: string; keyForm?: 'raw' }
    | { signatureMethod: 'RSA-SHA256'; privateKey: string; publicKey: string }
  );

interface KeyVector {
  file: string;
  form: string;
  bits: number;
  fingerprint: string;
  'made-by': string;
}

const read = <T>(name: string): T => JSON.parse(readFileSync(`${vectorFolder}/${name}.json`, 'utf8'));

export const controls = read<{ login: string; endpointId: string; controlKey: string; vectors: ControlVector[] }>(
  'control',
);
export const oauths = read<{ vectors: OauthVector[] }>('oauth').vectors;
export const keys = read<{ passphrase: string; private: KeyVector[]; public: KeyVector[] }>('keys');
