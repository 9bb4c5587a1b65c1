import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { halfOf } from '../../../signing/keys/inspect-key.js';
import { privatePem, publicPem } from '../../../signing/keys/rsa-keys.js';
import type { Secret } from '../../../wire/secret.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { columns } from '../../format/table.js';
import { assertFree, createFiles, type KeyFile, pathOf, readKeyFile } from './key-files.js';
import { newPassphrase, publicKeyOf, type UnlockedKey, unlock } from './unlock.js';

export interface ConvertOptions extends CommonOptions {
  readonly out: string;
  readonly to?: 'pkcs8' | 'pkcs1' | 'spki';
  readonly encrypt?: boolean;
  readonly decrypt?: boolean;
  readonly newPassphraseFile?: string;
}

const command = 'keys convert';

/** Writes a key into a new file in another form, encrypted or not, or only mended. */
export async function runKeysConvert(written: string, options: ConvertOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const out = pathOf(options.out, runtime);
  checkFlags(options);
  assertFree([out], command, runtime);
  const file = readKeyFile(written, runtime);
  const half = halfOf(file.bytes);
  const converted =
    half === 'public' ? convertPublic(file, options) : await convertPrivate(file, options, report, runtime);
  createFiles([{ path: out, text: converted.text, mode: 0o600 }], command, runtime);
  const { from, form, bits, fingerprint } = converted;
  await report.show({
    document: { schema: 'paycli.key-file/1', file: out, from, form, bits, fingerprint },
    text: () =>
      columns([
        ['written', out],
        ['form', from === form ? form : `${form}, from ${from}`],
        ['fingerprint', `${fingerprint} (as before)`],
      ]),
  });
  return 0;
}

interface Converted {
  readonly text: string;
  readonly from: string;
  readonly form: string;
  readonly bits: number;
  readonly fingerprint: string;
}

const formNames = { pkcs8: 'PKCS#8', pkcs1: 'PKCS#1', spki: 'SPKI' } as const;

function convertPublic(file: KeyFile, options: ConvertOptions): Converted {
  const { to = 'spki' } = options;
  if (to === 'pkcs8' || wantsEncryption(options) || options.decrypt === true)
    throw refused('this is a public key: it goes --to spki or pkcs1, and is never encrypted');
  const { keyObject, form, bits, fingerprint } = publicKeyOf(file);
  return { text: publicPem(keyObject, to), from: form, form: formNames[to], bits, fingerprint };
}

async function convertPrivate(
  file: KeyFile,
  options: ConvertOptions,
  report: Reporter,
  runtime: Runtime,
): Promise<Converted> {
  const { to = 'pkcs8' } = options;
  const unlocked = await unlock(
    file,
    options.passphraseFile,
    { flag: '--passphrase-file', command, options, report },
    runtime,
  );
  const { keyObject, form: from, bits, fingerprint } = unlocked.key;
  const common = { from, bits, fingerprint };
  if (to === 'spki') return { ...common, text: publicPem(keyObject, to), form: formNames[to] };
  const passphrase = await passphraseAfter(unlocked, options, report, runtime);
  if (passphrase !== undefined && to === 'pkcs1')
    throw refused('the encryption of PKCS#1 gives next to no protection: use --to pkcs8, or --decrypt');
  const form = passphrase === undefined ? formNames[to] : 'encrypted PKCS#8';
  return { ...common, text: privatePem(keyObject, to, passphrase), form };
}

/** Without a word about it, an encrypted key stays encrypted as it was. */
async function passphraseAfter(
  { passphrase }: UnlockedKey,
  options: ConvertOptions,
  report: Reporter,
  runtime: Runtime,
): Promise<Secret | undefined> {
  if (options.decrypt === true) return undefined;
  if (!wantsEncryption(options)) return passphrase;
  return newPassphrase(options.newPassphraseFile, { flag: '--new-passphrase-file', command, options, report }, runtime);
}

function wantsEncryption({ encrypt, newPassphraseFile }: ConvertOptions): boolean {
  return encrypt === true || newPassphraseFile !== undefined;
}

function checkFlags(options: ConvertOptions): void {
  if (!wantsEncryption(options)) return;
  if (options.decrypt === true) throw refused('--encrypt and --decrypt exclude each other');
  if (options.to === 'spki') throw refused('a public key is never encrypted');
}

function refused(why: string): Error {
  return fail('USAGE', { why, command });
}
