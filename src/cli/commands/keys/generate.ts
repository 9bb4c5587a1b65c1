import { loadProfile } from '../../../config/index.js';
import { isPaycliError, shellWord } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { rsaFingerprint } from '../../../signing/index.js';
import { privatePem, publicPem } from '../../../signing/keys/rsa-keys.js';
import { defineCommand, type FlagsFor, on, oneOf, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { assertFree, createFiles, pathOf } from './key-files.js';
import { generatePair, type KeyOwner, supportText } from './new-pair.js';
import { newPassphrase } from './unlock.js';

interface GenerateOptions extends CommonOptions {
  readonly bits?: string;
  readonly out: string;
  readonly encrypt?: boolean;
}

const command = 'keys generate';

export const keysGenerate = defineCommand({
  summary: 'Generate an RSA key pair, and a message that sends the public key to support',
  flags: {
    out: word(
      '<file>',
      'file for the private key (PKCS#8 PEM, mode 0600), beside it .pub.pem; never overwrites a file',
      {
        ask: 'file for the private key (PKCS#8 PEM, mode 0600), beside it .pub.pem; never overwrites a file',
      },
    ),
    bits: oneOf(['2048', '3072', '4096'], '<number>', 'key size (4096)'),
    encrypt: on('protect the private key with a passphrase, asked for twice'),
    passphraseFile: word('<file>', 'encrypt with the passphrase in this file'),
    profile: word('<name>', 'the profile with the login and endpoint for the message to support', { short: 'p' }),
    noInput: on('never ask for a passphrase'),
    ...outputFlags,
  } satisfies FlagsFor<GenerateOptions>,
  examples: ['keys generate --bits 2048 --out test-rsa.pem'],
  effect: 'local',
  result: ['key-pair'],
  run: ({ flags, runtime }) => runKeysGenerate(flags as GenerateOptions, runtime),
});

/** Makes an RSA pair: the private key into a file of its own, the public key beside it, and what to tell support. */
async function runKeysGenerate(options: GenerateOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const privateFile = pathOf(options.out, runtime);
  const publicFile = `${privateFile.replace(/\.pem$/, '')}.pub.pem`;
  assertFree([privateFile, publicFile], command, runtime);
  const owner = await keyOwner(options, report, runtime);
  const { passphraseFile: file } = options;
  const isEncrypted = options.encrypt === true || file !== undefined;
  const passphrase = isEncrypted ? await newPassphrase({ command, options, report }, runtime) : undefined;
  const bits = Number(options.bits ?? '4096');
  const { publicKey } = await generatePair(bits, report, runtime, (pair) => {
    const secret = { path: privateFile, text: privatePem(pair.privateKey, passphrase), mode: 0o600 };
    createFiles([secret, { path: publicFile, text: publicPem(pair.publicKey), mode: 0o644 }], command, runtime);
  });
  const [pem, fingerprint] = [publicPem(publicKey), rsaFingerprint(publicKey)];
  const message = supportText({ bits, fingerprint, pem, publicFile }, owner);
  const next = nextStep(privateFile, isEncrypted ? (file ?? 'FILE') : undefined, owner);
  await report.show({
    isExact: true,
    document: {
      ...{ schema: 'paycli.key-pair/1', privateKeyFile: privateFile, publicKeyFile: publicFile },
      ...{ form: isEncrypted ? 'encrypted PKCS#8' : 'PKCS#8', bits, fingerprint, publicKey: pem },
      ...{ profile: owner.profile ?? null, supportText: message, next },
    },
    text: () => {
      const rows = report.columns([
        ['private key', `${privateFile} (keep it here; nobody else needs it)`],
        ['public key', publicFile],
        ['fingerprint', fingerprint],
      ]);
      return `${rows}\nSend this to gateway support:\n\n${message}\nThen, ${next}\n`;
    },
  });
  return 0;
}

/** Whose key it is, for the message to support. A profile that cannot be read yet does not stop its key. */
async function keyOwner({ profile: name }: GenerateOptions, report: Reporter, runtime: Runtime): Promise<KeyOwner> {
  try {
    const { profile } = await loadProfile({ profile: name }, runtime);
    if (profile === undefined) return {};
    const { name: known, login, endpointId } = profile;
    return { profile: known, login, endpointId, isLive: profile.class === 'live' };
  } catch (error) {
    if (name !== undefined || !isPaycliError(error)) throw error;
    report.notes([`login and endpoint are left out, since no profile could be read: ${error.message}`]);
    return {};
  }
}

/** The gateway has to know the public key first: the command checks the private one with it. */
function nextStep(privateFile: string, passphraseFile: string | undefined, owner: KeyOwner): string {
  const { profile = 'NAME', isLive = false } = owner;
  const flags = [
    ` --file ${shellWord(privateFile)}`,
    ...(passphraseFile === undefined ? [] : [` --passphrase-file ${shellWord(passphraseFile)}`]),
    ...(isLive ? [' --live'] : []),
  ];
  return `once it is registered, run \`paycli profile set-key ${profile} private${flags.join('')}\``;
}
