import { printableName, reasonOf } from '../../../config/file-access.js';
import { exits, fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime, Staged } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, on, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { askOrder, assertMayAskOrder } from '../../core/order-argument.js';
import type { Reporter } from '../../core/reporter.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { withSession } from '../../open-session.js';
import { pathOf } from '../keys/key-files.js';
import { fileDescriptions, type Gathered, gatherFiles, nameOrder } from './gather.js';
import { type BundleFile, type FoundSecret, readSecrets, scan } from './secrets.js';

interface SupportFlags extends CommonOptions {
  readonly clientOrderId?: string;
  readonly out?: string;
  readonly replace?: boolean;
}

const command = 'support';

export const support = defineCommand({
  summary: 'Everything known here about an order, masked, in one archive for gateway support',
  help: 'The zip archive has timeline, journal, callbacks, signing stages, assumptions, versions. Card data and keys are left out, every file is searched for secrets first, and nothing is sent.',
  heading: 'Tools:',
  args: {
    order: {
      text: 'the order: its gateway order id or your client order id (idempotency key)',
      isOptional: true,
    },
  },
  flags: {
    clientOrderId: word('<id>', 'your client order id'),
    out: word('<file>', 'archive file (default: paycli-support-ORDER.zip in this folder)'),
    replace: on('replace a file of that name'),
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<SupportFlags>,
  examples: [
    'support order-1',
    'support --client-order-id order-1 --out case-17.zip',
    'support order-1 --replace --json',
  ],
  effect: 'local',
  result: ['support'],
  run: ({ args: { order }, flags, runtime }) => runSupport(order?.trim(), flags, runtime),
});

/** Packs everything known here about an order into one archive, once no secret is found in it. Nothing is sent. */
async function runSupport(name: string | undefined, options: SupportFlags, runtime: Runtime): Promise<number> {
  const isUnnamed = name === undefined && options.clientOrderId === undefined;
  if (isUnnamed) assertMayAskOrder(options, runtime);
  return withSession(options, runtime, async (session, report) => {
    const typed = { order: name, clientOrderId: options.clientOrderId };
    const named = isUnnamed ? await askOrder(session, command, options, runtime) : typed;
    const { secrets, keys } = await readSecrets(options, session, runtime);
    const gathered = await gatherFiles(named, { options, session, runtime, keys }).catch(nothingKnown);
    assertClean(scan(gathered.files, secrets, gathered.ids), gathered);
    const path = choosePath(nameOrder(gathered.order), options, runtime);
    const bytes = await writeArchive(path, gathered.files, options.replace === true, runtime);
    await showArchive(path, bytes, gathered, report);
    return exits.ok;
  });
}

async function showArchive(path: string, bytes: number, { files, order, lacks }: Gathered, report: Reporter) {
  const sized = files.map(({ name, text }) => ({
    ...{ name, bytes: Buffer.byteLength(text), holds: fileDescriptions[name] ?? '' },
  }));
  const { orderId = null, clientOrderId = null } = order;
  const head = `${report.paint.good('✓')} ${printableName(path)}, ${bytes} bytes\n`;
  await report.show({
    document: {
      ...{ schema: 'paycli.support/1', order: { orderId, clientOrderId } },
      ...{ file: path, bytes, files: sized, sent: false },
    },
    list: 'files',
    text: () =>
      head +
      report.columns(sized.map(({ name, bytes: size, holds }) => [`  ${name}`, String(size).padStart(7), holds])),
    sheet: () => ({
      columns: [{ head: 'file' }, { head: 'bytes', right: true }, { head: 'holds', flexible: true }],
      rows: sized.map(({ name, bytes: size, holds }) => [name, String(size), holds]),
    }),
  });
  if (lacks !== undefined) report.warn([lacks]);
  report.notes(['nothing was sent; read the files before you share the archive']);
}

function nothingKnown(error: unknown): never {
  if (!isPaycliError(error) || error.code !== 'USAGE') throw error;
  throw fail('USAGE', { why: `${error.message}; \`paycli journal\` shows the known orders`, command });
}

/** Throws SECRET_FOUND. */
function assertClean(findings: readonly FoundSecret[], { order, ids }: Gathered): void {
  if (findings.length === 0) return;
  const found = findings.map(({ file, kind }) => `${kind} in ${file}`).join(', ');
  // Any other id of the order may be the secret that was found.
  const isId = order.orderId !== undefined && ids.has(order.orderId);
  throw fail('SECRET_FOUND', { found, order: isId ? (order.orderId ?? '') : 'ORDER' });
}

/** The path of the archive. Throws USAGE when a file exists there and may not be replaced. */
function choosePath(order: string, { out, replace }: SupportFlags, runtime: Runtime): string {
  if (out === '-') throw fail('USAGE', { why: 'an archive goes into a file, never to standard output', command });
  // A file name that is safe on every system.
  const word = order.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64);
  const path = pathOf(out ?? `paycli-support-${word}.zip`, runtime);
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
async function writeArchive(
  path: string,
  files: readonly BundleFile[],
  isReplacing: boolean,
  runtime: Runtime,
): Promise<number> {
  const { strToU8, zipSync } = await import('fflate');
  // Zip has no times before 1980, whatever the clock says.
  const mtime = new Date(Math.max(runtime.clock.now(), Date.UTC(1980, 0, 2)));
  const archive = zipSync(Object.fromEntries(files.map(({ name, text }) => [name, strToU8(text)])), { mtime });
  let staged: Staged | undefined;
  try {
    staged = runtime.files.stage(path);
    staged.write(archive);
    if (!isReplacing) assertFree(path, runtime);
    staged.keep();
  } catch (error) {
    staged?.drop();
    if (isPaycliError(error)) throw error;
    throw fail('STORAGE', {
      what: printableName(path),
      why: reasonOf(error),
      how: 'nothing was written; check the folder and the disk',
    });
  }
  return archive.length;
}
