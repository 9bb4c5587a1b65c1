import { fail } from '../../../errors/index.js';
import { halfOf } from '../../../signing/keys/inspect-key.js';
import { privatePem, publicPem } from '../../../signing/keys/rsa-keys.js';
import { defineCommand, on, oneOf, word } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { assertFree, createFiles, pathOf, readKeyFile } from './key-files.js';
import { newPassphrase, publicKeyOf, unlock } from './unlock.js';

export const keysConvert = defineCommand({
  summary: 'Convert a key: to PKCS#8 PEM, encrypted, decrypted or repaired, or to its public half',
  args: { file: { text: 'a key or certificate, in PEM or DER' } },
  flags: {
    out: word('<file>', 'output file (mode 0600); never overwrites a file', {
      ask: 'output file (mode 0600); never overwrites a file',
    }),
    to: oneOf(['pkcs8', 'spki'], '<form>', 'key format (pkcs8); spki extracts the public key'),
    encrypt: on('protect it with a passphrase, asked for twice (AES-256-CBC)'),
    decrypt: on('write it without a passphrase'),
    passphraseFile: word('<file>', 'its passphrase, or the new one with --encrypt'),
    noInput: on('never ask for a passphrase'),
    ...outputFlags,
  },
  conflicts: [['encrypt', 'decrypt']],
  examples: ['keys convert test-rsa.pem --to spki --out for-support.pem'],
  effect: 'local',
  result: ['key-file'],
  async run({ args: { file: written }, flags: options, runtime }) {
    const report = new Reporter(options, undefined, runtime);
    const out = pathOf(options.out ?? '', runtime);
    assertFree([out], runtime);
    const file = readKeyFile(written, runtime);
    const isPublic = halfOf(file.bytes) === 'public';
    const { to = isPublic ? 'spki' : 'pkcs8', encrypt, decrypt } = options;
    if ((isPublic && to === 'pkcs8') || (to === 'spki' && (encrypt ?? decrypt) === true))
      throw fail('USAGE', { why: 'a public key has no private half, and is never encrypted: use --to spki' });
    const asking = { options, report };
    // Without a word about it, an encrypted key stays encrypted as it was.
    const { key, passphrase: old } = isPublic
      ? { key: publicKeyOf(file), passphrase: undefined }
      : await unlock(file, asking, runtime);
    const kept = encrypt === true ? (old ?? (await newPassphrase(asking, runtime))) : old;
    const passphrase = decrypt === true ? undefined : kept;
    const text = to === 'spki' ? publicPem(key.keyObject) : privatePem(key.keyObject, passphrase);
    createFiles([{ path: out, text, mode: 0o600 }], runtime);
    const form = to === 'spki' ? 'SPKI' : passphrase === undefined ? 'PKCS#8' : 'encrypted PKCS#8';
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
  },
});
