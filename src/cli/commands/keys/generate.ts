import { createPrivateKey, createPublicKey } from 'node:crypto';
import { shellWord } from '../../../errors/index.js';
import { rsaFingerprint } from '../../../signing/index.js';
import { privatePem, publicPem } from '../../../signing/keys/rsa-keys.js';
import { defineCommand, on, oneOf, word } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { assertFree, createFiles, pathOf } from './key-files.js';
import { newPassphrase } from './unlock.js';

const outText = 'file for the private key (PKCS#8 PEM, mode 0600), beside it .pub.pem; never overwrites a file';

export const keysGenerate = defineCommand({
  summary: 'Generate an RSA key pair; the public key is for gateway support',
  flags: {
    out: word('<file>', outText, { ask: outText }),
    bits: oneOf(['2048', '3072', '4096'], '<number>', 'key size (4096)'),
    encrypt: on('protect the private key with a passphrase, asked for twice'),
    passphraseFile: word('<file>', 'encrypt with the passphrase in this file'),
    noInput: on('never ask for a passphrase'),
    ...outputFlags,
  },
  examples: ['keys generate --bits 2048 --out test-rsa.pem'],
  effect: 'local',
  result: ['key-pair'],
  async run({ flags: options, runtime }) {
    const report = new Reporter(options, undefined, runtime);
    const privateFile = pathOf(options.out ?? '', runtime);
    const publicFile = `${privateFile.replace(/\.pem$/, '')}.pub.pem`;
    assertFree([privateFile, publicFile], runtime);
    const { passphraseFile } = options;
    const isEncrypted = options.encrypt === true || passphraseFile !== undefined;
    const passphrase = isEncrypted ? await newPassphrase({ options, report }, runtime) : undefined;
    const bits = Number(options.bits ?? '4096');
    const pair = runtime.random.rsaPem(bits);
    const [privateKey, publicKey] = [createPrivateKey(pair.privateKey), createPublicKey(pair.publicKey)];
    const [pem, fingerprint] = [publicPem(publicKey), rsaFingerprint(publicKey)];
    const secret = { path: privateFile, text: privatePem(privateKey, passphrase), mode: 0o600 };
    createFiles([secret, { path: publicFile, text: pem, mode: 0o644 }], runtime);
    // The gateway has to know the public key first: the command checks the private one with it.
    const word = isEncrypted ? ` --passphrase-file ${shellWord(passphraseFile ?? 'FILE')}` : '';
    const next = `once the gateway has the public key, run \`paycli profile set-key NAME private --file ${shellWord(privateFile)}${word}\``;
    await report.show({
      isExact: true,
      document: {
        ...{ schema: 'paycli.key-pair/1', privateKeyFile: privateFile, publicKeyFile: publicFile },
        ...{ form: isEncrypted ? 'encrypted PKCS#8' : 'PKCS#8', bits, fingerprint, publicKey: pem, next },
      },
      text: () => {
        const rows = report.columns([
          ['private key', `${privateFile} (keep it here; nobody else needs it)`],
          ['public key', `${publicFile} (send it to gateway support, with the fingerprint)`],
          ['fingerprint', fingerprint],
        ]);
        return `${rows}\n${pem}\n${next}\n`;
      },
    });
    return 0;
  },
});
