import { type Command, Option } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addGlobalOptions, asGroup } from '../../core/options.js';

/** `keys generate`, `keys inspect`, `keys convert`, `keys check-pair`. */
export function addKeys(parent: Command, context: ProgramContext): void {
  asGroup(parent);
  addGenerate(
    described(parent, 'generate', 'Make an RSA key pair, and the text that hands its public key to support'),
    context,
  );
  addInspect(described(parent, 'inspect', 'What a key file is, and whether it serves; exit 11 when not'), context);
  addConvert(described(parent, 'convert', 'Write a key anew: in another form, encrypted, decrypted, mended'), context);
  addCheckPair(
    described(parent, 'check-pair', 'Whether a private and a public key belong together; exit 11 when not'),
    context,
  );
}

function described(parent: Command, name: keyof typeof keysExamples, brief: string): Command {
  return parent.command(name).summary(brief).description(withExamples(brief, keysExamples[name]));
}

function addGenerate(generate: Command, { runtime, finish }: ProgramContext): void {
  generate
    .requiredOption('--out <file>', 'where the private key goes (PKCS#8 PEM, mode 0600); never over another file')
    .option('--public-out <file>', 'where the public key goes; the name of --out with .pub.pem when left out')
    .addOption(new Option('--bits <number>', 'size of the key (4096)').choices(['2048', '3072', '4096']))
    .option('--encrypt', 'protect the private key with a passphrase, asked for twice')
    .option('--passphrase-file <file>', 'encrypt with the passphrase in this file')
    .option('-p, --profile <name>', 'the profile whose login and endpoint stand in the text for support');
  addNoInput(generate).action(async () => {
    const { runKeysGenerate } = await import('./generate.js');
    finish.exit = await runKeysGenerate(generate.opts(), runtime);
  });
}

function addInspect(inspect: Command, { runtime, finish }: ProgramContext): void {
  inspect
    .argument('<file>', 'a key or certificate, in PEM or DER')
    .option('--public', 'judge it as the public half; without it, as the private key that signs')
    .option('--passphrase-file <file>', 'its passphrase');
  addNoInput(inspect).action(async (file: string) => {
    const { runKeysInspect } = await import('./inspect.js');
    finish.exit = await runKeysInspect(file, inspect.opts(), runtime);
  });
}

function addConvert(convert: Command, { runtime, finish }: ProgramContext): void {
  convert
    .argument('<file>', 'a key or certificate, in PEM or DER')
    .requiredOption('--out <file>', 'where it goes (mode 0600); never over another file')
    .addOption(
      new Option('--to <form>', 'pkcs8 unless said otherwise; spki takes the public key out').choices([
        'pkcs8',
        'pkcs1',
        'spki',
      ]),
    )
    .option('--encrypt', 'protect it with a new passphrase, asked for twice (AES-256-CBC)')
    .option('--decrypt', 'write it without a passphrase')
    .option('--passphrase-file <file>', 'its present passphrase')
    .option('--new-passphrase-file <file>', 'encrypt with the passphrase in this file');
  addNoInput(convert).action(async (file: string) => {
    const { runKeysConvert } = await import('./convert.js');
    finish.exit = await runKeysConvert(file, convert.opts(), runtime);
  });
}

function addCheckPair(checkPair: Command, { runtime, finish }: ProgramContext): void {
  checkPair
    .argument('<private>', 'file with the private key')
    .argument('<public>', 'file with the public key or its certificate')
    .option('--passphrase-file <file>', 'the passphrase of the private key');
  addNoInput(checkPair).action(async (privateFile: string, publicFile: string) => {
    const { runKeysCheckPair } = await import('./check-pair.js');
    finish.exit = await runKeysCheckPair(privateFile, publicFile, checkPair.opts(), runtime);
  });
}

function addNoInput(command: Command): Command {
  return addGlobalOptions(command.option('--no-input', 'never ask for a passphrase'));
}

/**
 * Examples of the `keys` commands, without the word `paycli`; each follows on those before it. A test runs them in this
 * order.
 */
export const keysExamples = {
  generate: ['keys generate --bits 2048 --out test-rsa.pem'],
  inspect: ['keys inspect test-rsa.pem', 'keys inspect test-rsa.pub.pem --public --json'],
  convert: [
    'keys convert test-rsa.pem --to pkcs1 --out test-rsa.pkcs1.pem',
    'keys convert test-rsa.pem --to spki --out for-support.pem',
  ],
  'check-pair': ['keys check-pair test-rsa.pem test-rsa.pub.pem'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
