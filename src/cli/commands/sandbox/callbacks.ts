import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { StoredCallback } from '../../../sandbox/callbacks/outbox.js';
import { defineCommand, word } from '../../command.js';
import type { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { timeText } from '../../format/time.js';
import { statusText } from '../../print-reply.js';
import { findListening, type LocalSandbox, withSandbox } from '../../sandbox-session.js';

export const sandboxCallbacks = defineCommand({
  summary: 'List all callbacks with every delivery attempt, or set how those of an order are delivered',
  flags: {
    order: word('<id>', 'only those of this order, by either id'),
    script: word('<name>', 'deliver the callbacks of an order this way; list shows the names'),
    clientOrderId: word('<id>', 'with --script: the order, by your client order id; it need not exist yet'),
    login: word('<login>', 'with --script: its merchant (default: the built-in one)'),
    ...outputFlags,
  },
  needs: { clientOrderId: ['script'], login: ['script'] },
  examples: ['sandbox callbacks', 'sandbox callbacks --script late --client-order-id order-9'],
  effect: 'local',
  result: ['callbacks', 'callback-scripts'],
  run: ({ flags, runtime }) =>
    withSandbox(flags, runtime, async (sandbox, report) => {
      if (flags.script === undefined) await listOutbox(flags.order, sandbox, report, runtime);
      else await scriptCallbacks(flags.script, flags, sandbox, report);
      return 0;
    }),
});

/** The outbox and the delivery log. */
async function listOutbox(
  order: string | undefined,
  { store }: LocalSandbox,
  report: Reporter,
  runtime: Runtime,
): Promise<void> {
  const { listCallbacks } = await import('../../../sandbox/callbacks/outbox.js');
  const { advance } = await import('../../../sandbox/clock.js');
  const callbacks = store.database.transaction(() => {
    advance(store);
    return listCallbacks(store, order);
  });
  const listening = (await findListening(runtime))?.url ?? null;
  await report.show({
    document: { schema: 'paycli.callbacks/1', listening, callbacks },
    list: 'callbacks',
    sheet: () => ({ columns, rows: callbacks.map((each) => rowOf(each, report)) }),
    empty: 'no callbacks; send an order with --server-callback-url to get some',
  });
  if (listening === null && callbacks.some(({ state }) => state === 'pending'))
    report.notes(['the sandbox is not running, so callbacks stay pending; `paycli sandbox start` delivers them']);
}

const columns = [
  ...[{ head: 'id', right: true }, { head: 'order' }, { head: 'your id', below: true as const }, { head: 'status' }],
  ...[{ head: 'script' }, { head: 'delivery' }, { head: 'due' }],
  ...[
    { head: 'url', below: true as const },
    { head: 'attempts', below: true as const },
  ],
];

function rowOf(callback: StoredCallback, report: Reporter): readonly string[] {
  const { id, orderId, clientOrderId, status, url, script, state, dueAt, attempts } = callback;
  const tries = attempts.map(({ at, status: answered, reason, reply }) =>
    [timeText(Date.parse(at)), answered ?? reason, reply].filter((part) => part !== null && part !== '').join(' '),
  );
  return [
    ...[String(id), orderId, clientOrderId, statusText(status, report.paint), script, state],
    ...[dueAt === null ? '' : timeText(Date.parse(dueAt)), url, tries.join('; ')],
  ];
}

/** Sets how callbacks are delivered; `list` lists the ways. Throws USAGE. */
async function scriptCallbacks(
  name: string,
  { clientOrderId, login }: { readonly clientOrderId?: string; readonly login?: string },
  sandbox: LocalSandbox,
  report: Reporter,
): Promise<void> {
  const { scripts, isScriptName, setScript } = await import('../../../sandbox/callbacks/scripts.js');
  if (name === 'list') {
    const text = () => report.columns(Object.entries(scripts));
    return report.show({ document: { schema: 'paycli.callback-scripts/1', scripts }, text });
  }
  if (!isScriptName(name))
    throw fail('USAGE', { why: `${name} is not a script; known: ${Object.keys(scripts).join(', ')}` });
  if (clientOrderId === undefined)
    throw fail('USAGE', { why: '--script needs --client-order-id, the order whose callbacks it is about' });
  const merchant = login ?? sandbox.identity().login;
  if (!sandbox.merchants().some((each) => each.login === merchant))
    throw fail('USAGE', { why: `this sandbox has no merchant ${merchant}` });
  setScript(sandbox.store, merchant, clientOrderId, name);
  report.notes([`callbacks of merchant ${merchant} for ${clientOrderId}: ${name}, ${scripts[name]}`]);
}
