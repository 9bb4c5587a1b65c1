import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { halfOf } from '../../../signing/keys/inspect-key.js';
import { privatePem, publicPem } from '../../../signing/keys/rsa-keys.js';
import { defineCommand, type FlagsFor, on, oneOf, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { assertFree, createFiles, type KeyFile, pathOf, readKeyFile } from './key-files.js';
import { newPassphrase, publicKeyOf, unlock } from './unlock.js';

interface ConvertOptions extends CommonOptions {
  readonly out: string;
  readonly to?: 'pkcs8' | 'pkcs1' | 'spki';
  readonly encrypt?: boolean;
  readonly decrypt?: boolean;
  readonly newPassphraseFile?: string;
}

const command = 'keys convert';

export const keysConvert = defineCommand({
  summary: 'Convert a key: to another format, encrypted, decrypted or repaired',
  args: { file: { text: 'a key or certificate, in PEM, DER, JWK or XML' } },
  flags: {
    out: word('<file>', 'output file (mode 0600); never overwrites a file', {
      ask: 'output file (mode 0600); never overwrites a file',
    }),
    to: oneOf(['pkcs8', 'pkcs1', 'spki'], '<form>', 'key format (pkcs8); spki extracts the public key'),
    encrypt: on('protect it with a new passphrase, asked for twice (AES-256-CBC)'),
    decrypt: on('write it without a passphrase'),
    passphraseFile: word('<file>', 'its current passphrase'),
    newPassphraseFile: word('<file>', 'encrypt with the passphrase in this file'),
    noInput: on('never ask for a passphrase'),
    ...outputFlags,
  } satisfies FlagsFor<ConvertOptions>,
  examples: [
    'keys convert test-rsa.pem --to pkcs1 --out test-rsa.pkcs1.pem',
    'keys convert test-rsa.pem --to spki --out for-support.pem',
  ],
  effect: 'local',
  result: ['key-file'],
  run: ({ args: { file }, flags, runtime }) => runKeysConvert(file, flags as ConvertOptions, runtime),
});

/** Writes a key into a new file in another form, encrypted or not, or only mended. */
async function runKeysConvert(written: string, options: ConvertOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const out = pathOf(options.out, runtime);
  checkFlags(options);
  assertFree([out], command, runtime);
  const file = readKeyFile(written, runtime);
  const { key, text, form } =
    halfOf(file.bytes) === 'public'
      ? convertPublic(file, options)
      : await convertPrivate(file, options, report, runtime);
  createFiles([{ path: out, text, mode: 0o600 }], command, runtime);
  const { form: from, bits, fingerprint } = key;
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

const formNames = { pkcs8: 'PKCS#8', pkcs1: 'PKCS#1', spki: 'SPKI' } as const;

function convertPublic(file: KeyFile, options: ConvertOptions) {
  const { to = 'spki' } = options;
  if (to === 'pkcs8' || wantsEncryption(options) || options.decrypt === true)
    throw fail('USAGE', {
      why: 'this is a public key, which is never encrypted: use --to spki or --to pkcs1',
      command,
    });
  const key = publicKeyOf(file);
  return { key, text: publicPem(key.keyObject, to), form: formNames[to] };
}

async function convertPrivate(file: KeyFile, options: ConvertOptions, report: Reporter, runtime: Runtime) {
  const { to = 'pkcs8' } = options;
  const asking = { flag: '--passphrase-file', file: options.passphraseFile, command, options, report } as const;
  const { key, passphrase: old } = await unlock(file, asking, runtime);
  if (to === 'spki') return { key, text: publicPem(key.keyObject, to), form: formNames[to] };
  // Without a word about it, an encrypted key stays encrypted as it was.
  const kept = options.decrypt === true ? undefined : old;
  const anew = { ...asking, flag: '--new-passphrase-file', file: options.newPassphraseFile } as const;
  const passphrase = wantsEncryption(options) ? await newPassphrase(anew, runtime) : kept;
  if (passphrase !== undefined && to === 'pkcs1')
    throw fail('USAGE', { why: 'PKCS#1 encryption is very weak: use --to pkcs8, or --decrypt', command });
  const form = passphrase === undefined ? formNames[to] : 'encrypted PKCS#8';
  return { key, text: privatePem(key.keyObject, to, passphrase), form };
}

function wantsEncryption({ encrypt, newPassphraseFile }: ConvertOptions): boolean {
  return encrypt === true || newPassphraseFile !== undefined;
}

function checkFlags(options: ConvertOptions): void {
  if (!wantsEncryption(options)) return;
  if (options.decrypt === true) throw fail('USAGE', { why: '--encrypt and --decrypt cannot be combined', command });
  if (options.to === 'spki') throw fail('USAGE', { why: 'a public key is never encrypted', command });
}
