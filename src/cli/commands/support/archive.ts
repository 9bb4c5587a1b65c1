import { printableName, reasonOf } from '../../../config/file-access.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { pathOf } from '../keys/key-files.js';
import type { BundleFile } from './scan.js';

const command = 'support';

/** A file name that is safe on every system. */
function defaultName(order: string): string {
  const word = order.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64);
  return `paycli-support-${word}.zip`;
}

/** The path of the archive. Throws USAGE when a file exists there and may not be replaced. */
export function archivePath(
  order: string,
  { out, replace }: { readonly out?: string; readonly replace?: boolean },
  runtime: Runtime,
): string {
  if (out === '-') throw fail('USAGE', { why: 'an archive goes into a file, never to standard output', command });
  const path = pathOf(out ?? defaultName(order), runtime);
  if (replace !== true) assertFree(path, runtime);
  return path;
}

function assertFree(path: string, { files }: Runtime): void {
  if (!files.exists(path)) return;
  throw fail('USAGE', {
    why: `${printableName(path)} already exists, and nothing was written; choose another with --out, or add --replace`,
    file: printableName(path),
    command,
  });
}

/** Writes the files as one archive, mode 0600. Throws USAGE or STORAGE. */
export async function writeArchive(
  path: string,
  files: readonly BundleFile[],
  isReplacing: boolean,
  runtime: Runtime,
): Promise<number> {
  const { strToU8, zipSync } = await import('fflate');
  // Zip has no times before 1980, whatever the clock says.
  const mtime = new Date(Math.max(runtime.clock.now(), Date.UTC(1980, 0, 2)));
  const archive = zipSync(Object.fromEntries(files.map(({ name, text }) => [name, strToU8(text)])), { mtime });
  try {
    const staged = runtime.files.stage(path);
    try {
      staged.write(archive);
      if (!isReplacing) assertFree(path, runtime);
      staged.keep();
    } catch (error) {
      staged.drop();
      throw error;
    }
  } catch (error) {
    if (isPaycliError(error)) throw error;
    throw fail('STORAGE', {
      what: printableName(path),
      why: reasonOf(error),
      how: 'nothing was written; check the folder and the disk',
    });
  }
  return archive.length;
}

/** A description of every file, for the README of the archive and the output of the command. */
export const fileDescriptions: Readonly<Record<string, string>> = {
  'README.txt': 'this text',
  'timeline.txt':
    'requests, replies, callbacks and status requests of the order, in chronological order, human-readable',
  'timeline.json': 'the same, machine-readable, as printed by `paycli order --timeline --json`',
  'journal.json': 'the journal entries of the order, with every change of state, as printed by `paycli journal --json`',
  'callbacks.json': 'callbacks received for the order, without unknown fields',
  'signing.txt': `how each request was signed, as far as that is stored, and the stages of a status request signed now`,
  'signing.json': 'the same, machine-readable',
  'assumptions.json': 'assumptions where the API documentation is silent, with current values and where they were set',
  'versions.json': 'versions of paycli, of the API documentation, of Node and of the system',
  'profile.json': 'the connection: class, address, login, endpoint; keys by their fingerprints',
  'doctor.txt': 'the results of `paycli doctor` on this machine, without network access',
};

export function readmeText(order: string, madeAt: number, version: string): string {
  const width = Math.max(...Object.keys(fileDescriptions).map((name) => name.length)) + 2;
  const lines = Object.entries(fileDescriptions).map(([name, what]) => `  ${name.padEnd(width)}${what}`);
  return `Support bundle of order ${order}
made by paycli ${version} at ${new Date(madeAt).toISOString()}

Files
${lines.join('\n')}

To reproduce a request: paycli help runbooks

Left out or masked
  Card numbers and security codes: never stored, so never included; at most the last four digits of a card appear.
  Keys and passphrases: by fingerprint only, from which they cannot be derived.
  Signature values (control, oauth_signature): shown as dots. The signed texts are included.
  Addresses of payment pages: never stored, because anyone who has one can act on the order.

Still included
  Order ids, amounts, times, the merchant login, the address of the gateway, and the payer data that callbacks
  contained, such as a name or an e-mail address. Share it only with people who may see that data.

Every file was searched for the keys of the profile, plain and in the usual encodings, for card numbers, security
codes and signatures before this archive was written. Review it yourself before you share it.
`;
}
