import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { halfOf } from '../../../signing/keys/inspect-key.js';
import { privatePem, publicPem } from '../../../signing/keys/rsa-keys.js';
import type { Secret } from '../../../wire/mask.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { assertFree, createFiles, type KeyFile, pathOf, readKeyFile } from './key-files.js';
import { newPassphrase, publicKeyOf, type UnlockedKey, unlock } from './unlock.js';

interface ConvertOptions extends CommonOptions {
  readonly out: string;
  readonly to?: 'pkcs8' | 'pkcs1' | 'spki';
  readonly encrypt?: boolean;
  readonly decrypt?: boolean;
  readonly newPassphraseFile?: string;
}

const command = 'keys convert';

export const keysConvert = defineCommand<ConvertOptions>({
  name: 'keys convert',
  summary: 'Convert a key: to another format, encrypted, decrypted or repaired',
  args: [['<file>', 'a key or certificate, in PEM, DER, JWK or XML']],
  options: [
    ['--out <file>', 'output file (mode 0600); never overwrites a file', { required: true }],
    ['--to <form>', 'key format (pkcs8); spki extracts the public key', { choices: ['pkcs8', 'pkcs1', 'spki'] }],
    ['--encrypt', 'protect it with a new passphrase, asked for twice (AES-256-CBC)'],
    ['--decrypt', 'write it without a passphrase'],
    ['--passphrase-file <file>', 'its current passphrase'],
    ['--new-passphrase-file <file>', 'encrypt with the passphrase in this file'],
    ['--no-input', 'never ask for a passphrase'],
  ],
  examples: [
    'keys convert test-rsa.pem --to pkcs1 --out test-rsa.pkcs1.pem',
    'keys convert test-rsa.pem --to spki --out for-support.pem',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'interrupted'],
  prints: ['key-file'],
  run: ({ args: [file = ''], options, runtime }) => runKeysConvert(file, options, runtime),
});

/** Writes a key into a new file in another form, encrypted or not, or only mended. */
async function runKeysConvert(written: string, options: ConvertOptions, runtime: Runtime): Promise<number> {
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
    isExact: true,
    document: { schema: 'paycli.key-file/1', file: out, from, form, bits, fingerprint },
    text: () =>
      report.columns([
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
    throw fail('USAGE', {
      why: 'this is a public key, which is never encrypted: use --to spki or --to pkcs1',
      command,
    });
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
    throw fail('USAGE', { why: 'PKCS#1 encryption is very weak: use --to pkcs8, or --decrypt', command });
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
  if (options.decrypt === true) throw fail('USAGE', { why: '--encrypt and --decrypt cannot be combined', command });
  if (options.to === 'spki') throw fail('USAGE', { why: 'a public key is never encrypted', command });
}
