import { printableName, reasonOf } from '../../../config/file-access.js';
import { exits, fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime, Staged } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { askOrder, assertMayAskOrder } from '../../core/order-argument.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { withSession } from '../../open-session.js';
import { pathOf } from '../keys/key-files.js';
import { fileDescriptions, gatherFiles, nameOrder } from './gather.js';
import { type BundleFile, scan } from './secrets.js';

interface SupportFlags extends CommonOptions {
  readonly clientOrderId?: string;
  readonly out?: string;
}

const command = 'support';

export const support = defineCommand({
  summary: 'Everything known here about an order, masked, in one archive for gateway support',
  help: 'The zip archive has timeline, journal, callbacks, versions and assumptions. Card data and keys are left out, every file is searched for secrets first, and nothing is sent.',
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
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<SupportFlags>,
  examples: ['support order-1', 'support --client-order-id order-1 --out case-17.zip'],
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
    const named = isUnnamed ? await askOrder(command, options, runtime) : typed;
    const { order, files, ids, controlKey } = await gatherFiles(named, session, runtime);
    const found = scan(files, controlKey, ids);
    // An id that is not one of the gateway may be the secret that was found.
    const shown = ids.has(order.orderId ?? '') ? order.orderId : 'ORDER';
    if (found.length > 0) throw fail('SECRET_FOUND', { found: found.join(', '), order: shown });
    const file = choosePath(nameOrder(order), options.out, runtime);
    const bytes = await writeArchive(file, files, runtime);
    const { orderId = null, clientOrderId = null } = order;
    const sized = files.map(({ name: each, text }) => ({
      ...{ name: each, bytes: Buffer.byteLength(text), holds: fileDescriptions[each] ?? '' },
    }));
    await report.show({
      document: {
        ...{ schema: 'paycli.support/1', order: { orderId, clientOrderId } },
        ...{ file, bytes, files: sized, sent: false },
      },
      list: 'files',
      text: () => `${report.paint.good('✓')} ${printableName(file)}, ${bytes} bytes\n`,
    });
    report.notes(['nothing was sent; read the files before you share the archive']);
    return exits.ok;
  });
}

/** The path of the archive. Throws USAGE. */
function choosePath(order: string, out: string | undefined, runtime: Runtime): string {
  if (out === '-') throw fail('USAGE', { why: 'an archive goes into a file, never to standard output', command });
  // A file name that is safe on every system.
  const word = order.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64);
  const path = pathOf(out ?? `paycli-support-${word}.zip`, runtime);
  if (!runtime.files.exists(path)) return path;
  const why = `${printableName(path)} already exists, and nothing was written; choose another with --out`;
  throw fail('USAGE', { why, command });
}

/** Writes the files as one archive, mode 0600; returns its size. Throws STORAGE. */
async function writeArchive(path: string, files: readonly BundleFile[], runtime: Runtime): Promise<number> {
  const { strToU8, zipSync } = await import('fflate');
  // Zip has no times before 1980, whatever the clock says.
  const mtime = new Date(Math.max(runtime.clock.now(), Date.UTC(1980, 0, 2)));
  const archive = zipSync(Object.fromEntries(files.map(({ name, text }) => [name, strToU8(text)])), { mtime });
  let staged: Staged | undefined;
  try {
    staged = runtime.files.stage(path);
    staged.write(archive);
    staged.keep();
  } catch (error) {
    staged?.drop();
    if (isPaycliError(error)) throw error;
    const how = 'nothing was written; check the folder and the disk';
    throw fail('STORAGE', { what: printableName(path), why: reasonOf(error), how });
  }
  return archive.length;
}
