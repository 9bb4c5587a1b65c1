import { readSecret } from '../../config/index.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { Secret } from '../../wire/secret.js';
import type { CommonOptions } from '../options.js';
import type { Reporter } from '../reporter.js';
import { mayAsk } from '../resolve.js';
import { pathOf } from './files.js';

/** What a passphrase is asked with: the flag that names its file, and the command for a message. */
export interface Asking {
  readonly flag: '--passphrase-file' | '--new-passphrase-file';
  readonly command: string;
  readonly options: CommonOptions;
  readonly report: Reporter;
}

/** The passphrase of a key that is there. Throws FIELD_MISSING where nobody can be asked. */
export async function oldPassphrase(file: string | undefined, asking: Asking, runtime: Runtime): Promise<Secret> {
  if (file !== undefined) return fromFile(file, asking, runtime);
  const ask = await prompting(asking, runtime);
  return new Secret(await ask('passphrase', 'passphrase of the key', (text) => (text === '' ? 'it is empty' : undefined)));
}

/** The passphrase of a key to be written, typed twice. Throws FIELD_MISSING where nobody can be asked. */
export async function newPassphrase(file: string | undefined, asking: Asking, runtime: Runtime): Promise<Secret> {
  if (file !== undefined) return fromFile(file, asking, runtime);
  const ask = await prompting(asking, runtime);
  const typed = await ask('new-passphrase', 'passphrase for the new key', (text) => (text === '' ? 'it is empty' : undefined));
  await ask('new-passphrase-again', 'the same once more', (text) => (text === typed ? undefined : 'it differs from the first one'));
  return new Secret(typed);
}

async function fromFile(file: string, { flag, report }: Asking, runtime: Runtime): Promise<Secret> {
  const { secret, warning } = await readSecret({ kind: 'file', path: pathOf(file, runtime), origin: `flag ${flag}` }, runtime);
  if (warning !== undefined) report.warn([warning]);
  return secret;
}

async function prompting({ flag, command, options }: Asking, runtime: Runtime) {
  if (!mayAsk(options, runtime)) throw fail('FIELD_MISSING', { flags: flag, command });
  const prompter = await runtime.prompter(options.color);
  return (name: string, message: string, check: (text: string) => string | undefined) =>
    prompter.ask({ name, message, hidden: true, check });
}
