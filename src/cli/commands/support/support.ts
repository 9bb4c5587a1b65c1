import { printableName } from '../../../config/file-access.js';
import { exits, fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, on, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { askOrder, assertMayAskOrder } from '../../core/order-argument.js';
import { assertIdsOfOneOrder, type NamedOrder } from '../../core/order-requests.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { archivePath, fileDescriptions, writeArchive } from './archive.js';
import { type Gathered, gatherFiles, orderNameOf } from './gather.js';
import { type Finding, scan } from './scan.js';
import { readSecrets } from './secrets.js';

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
    await assertIdsOfOneOrder(named, command, session, runtime);
    const { gathered, findings } = await examined(named, options, session, runtime);
    refuse(findings, gathered);
    const path = archivePath(orderNameOf(gathered.order), options, runtime);
    const bytes = await writeArchive(path, gathered.files, options.replace === true, runtime);
    const files = gathered.files.map(({ name, text }) => ({
      name,
      bytes: Buffer.byteLength(text),
      holds: fileDescriptions[name] ?? '',
    }));
    const { orderId = null, clientOrderId: own = null } = gathered.order;
    await report.show({
      document: {
        schema: 'paycli.support/1',
        order: { orderId, clientOrderId: own },
        file: path,
        bytes,
        files,
        sent: false,
      },
      list: 'files',
      text: () =>
        `${report.paint.good('✓')} ${printableName(path)}, ${bytes} bytes\n${report.columns(files.map(({ name, bytes: size, holds }) => [`  ${name}`, String(size).padStart(7), holds]))}`,
      sheet: () => ({
        columns: [{ head: 'file' }, { head: 'bytes', right: true }, { head: 'holds', flexible: true }],
        rows: files.map(({ name, bytes: size, holds }) => [name, String(size), holds]),
      }),
    });
    if (gathered.lacks !== undefined) report.warn([gathered.lacks]);
    report.notes(['nothing was sent; read the files before you share the archive']);
    return exits.ok;
  });
}

async function examined(
  named: NamedOrder,
  options: SupportFlags,
  session: Session,
  runtime: Runtime,
): Promise<{ readonly gathered: Gathered; readonly findings: readonly Finding[] }> {
  const { secrets, keys } = await readSecrets(options, session, runtime);
  const gathered = await gatherFiles(named, { options, session, runtime, keys }).catch(nothingKnown);
  return { gathered, findings: scan(gathered.files, secrets, gathered.ids) };
}

function nothingKnown(error: unknown): never {
  if (!isPaycliError(error) || error.code !== 'USAGE') throw error;
  throw fail('USAGE', { why: `${error.message}; \`paycli journal\` shows the known orders`, command });
}

/** Throws SECRET_FOUND. */
function refuse(findings: readonly Finding[], { order, ids }: Gathered): void {
  if (findings.length === 0) return;
  const found = findings.map(({ file, kind }) => `${kind} in ${file}`).join(', ');
  // Any other id of the order may be the secret that was found.
  const isId = order.orderId !== undefined && ids.has(order.orderId);
  throw fail('SECRET_FOUND', { found, order: isId ? (order.orderId ?? '') : 'ORDER' });
}
