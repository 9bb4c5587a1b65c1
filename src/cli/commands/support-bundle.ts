import { shown } from '../../config/paths.js';
import { fail, isPaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { NamedOrder } from '../known-order.js';
import type { CommonOptions } from '../options.js';
import { exits } from '../outcome.js';
import { columns } from '../present/columns.js';
import type { Session } from '../session.js';
import { archivePath, writeArchive } from '../support/archive.js';
import { type Gathered, gatherFiles, nameOf } from '../support/gather.js';
import { readSecrets } from '../support/keys.js';
import { contents } from '../support/readme.js';
import { type Finding, scan } from '../support/scan.js';
import { withSession } from '../with-session.js';

export interface BundleOptions extends CommonOptions {
  readonly clientOrderId?: string;
  readonly out?: string;
  readonly replace?: boolean;
}

/** Packs everything known here about an order into one archive, once no secret is found in it. Nothing is sent. */
export async function runSupportBundle(order: string | undefined, options: BundleOptions, runtime: Runtime): Promise<number> {
  const { clientOrderId } = options;
  if (order === undefined && clientOrderId === undefined)
    throw fail('USAGE', { why: 'name the order by its order id, by --client-order-id, or by both', command: 'support bundle' });
  return withSession(options, runtime, async (session, report) => {
    const { gathered, findings } = await examined({ order, clientOrderId }, options, session, runtime);
    refuse(findings, gathered);
    const path = archivePath(nameOf(gathered.order), options, runtime);
    const bytes = await writeArchive(path, gathered.files, options.replace === true, runtime);
    const files = gathered.files.map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text), holds: contents[name] ?? '' }));
    const { orderId = null, clientOrderId: own = null } = gathered.order;
    await report.show({
      document: { schema: 'paycli.support-bundle/1', order: { orderId, clientOrderId: own }, file: path, bytes, files, sent: false },
      list: 'files',
      text: () =>
        `${report.paint.good('✓')} ${shown(path)}, ${bytes} bytes\n${columns(files.map(({ name, bytes: size, holds }) => [`  ${name}`, String(size).padStart(7), holds]))}`,
      sheet: () => ({
        columns: [{ head: 'file' }, { head: 'bytes', right: true }, { head: 'holds', flexible: true }],
        rows: files.map(({ name, bytes: size, holds }) => [name, String(size), holds]),
      }),
    });
    report.notes(['nothing was sent; look at the files before you pass the archive on']);
    return exits.ok;
  });
}

async function examined(
  named: NamedOrder,
  options: BundleOptions,
  session: Session,
  runtime: Runtime,
): Promise<{ readonly gathered: Gathered; readonly findings: readonly Finding[] }> {
  const { secrets, keys } = await readSecrets(options, session, runtime);
  const gathered = await gatherFiles(named, { options, session, runtime, keys }).catch(nobodyKnows);
  return { gathered, findings: scan(gathered.files, secrets, gathered.ids) };
}

function nobodyKnows(error: unknown): never {
  if (!isPaycliError(error) || error.code !== 'USAGE') throw error;
  throw fail('USAGE', { why: `${error.message}; \`paycli journal list\` shows the orders there are`, command: 'support bundle' });
}

/** Throws SECRET_FOUND. */
function refuse(findings: readonly Finding[], { order, ids }: Gathered): void {
  if (findings.length === 0) return;
  const found = findings.map(({ file, kind }) => `${kind} in ${file}`).join(', ');
  // Any other name of the order may be what was found.
  const isId = order.orderId !== undefined && ids.has(order.orderId);
  throw fail('SECRET_FOUND', { found, order: isId ? (order.orderId ?? '') : 'ORDER' });
}
