import { fail, shellWord } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { StoredCallback } from '../../../sandbox/callbacks/outbox.js';
import { defineCommand, word } from '../../command.js';
import type { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import type { Sheet } from '../../format/document.js';
import { timeText } from '../../format/time.js';
import { statusText } from '../../print-reply.js';
import { findListening, type LocalSandbox } from '../../sandbox-session.js';
import { otherMerchants, withSandbox } from './with-sandbox.js';

const command = 'sandbox callbacks';

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
  const listening = (await findListening(runtime))?.url;
  await report.show({
    document: { schema: 'paycli.callbacks/1', listening: listening ?? null, callbacks },
    list: 'callbacks',
    text: () => callbacks.map((each) => textOf(each, report)).join(''),
    sheet: () => sheetOf(callbacks, report),
    empty:
      order === undefined
        ? 'no callbacks yet; send an order with --server-callback-url to get some'
        : 'no callbacks for this order; `paycli sandbox callbacks` shows all',
  });
  if (listening === undefined && callbacks.some(({ state }) => state === 'pending'))
    report.notes(['the sandbox is not running, so callbacks stay pending; `paycli sandbox start` delivers them']);
  const lost = callbacks.find(({ state }) => state === 'given-up' || state === 'withheld');
  if (lost !== undefined)
    report.notes([
      `order ${lost.orderId}: its callback is ${lost.state}; \`paycli callback send ${lost.orderId} --to ${shellWord(lost.url)} --profile sandbox\` sends one`,
    ]);
}

function sheetOf(callbacks: readonly StoredCallback[], report: Reporter): Sheet {
  return {
    columns: [
      { head: 'id', right: true },
      { head: 'order' },
      { head: 'your id', below: true },
      { head: 'status' },
      { head: 'delivery' },
      { head: 'tried', right: true },
      { head: 'due' },
      { head: 'url', below: true },
    ],
    rows: callbacks.map(({ id, orderId, clientOrderId, status, state, attempts, dueAt, url }) => [
      ...[String(id), orderId, clientOrderId, statusText(status, report.paint), state, String(attempts.length)],
      ...[dueAt === null ? '' : timeText(Date.parse(dueAt)), url],
    ]),
  };
}

function textOf(callback: StoredCallback, report: Reporter): string {
  const { id, orderId, clientOrderId, status, url, script, state, dueAt, attempts } = callback;
  const when = dueAt === null ? '' : `, due ${timeText(Date.parse(dueAt))}`;
  const how = script === 'normal' ? '' : `, script ${script}`;
  const head = `#${id} order ${orderId} (${clientOrderId}) ${status}: ${state}${when}${how}\n  ${url}\n`;
  const log = attempts.map(({ at, status: answered, milliseconds, reason, reply }, index) => [
    ...[`  ${index + 1}`, timeText(Date.parse(at)), String(answered ?? '-')],
    milliseconds === null ? '' : `${milliseconds} ms`,
    [reason, reply === null || reply === '' ? null : `"${reply}"`].filter((part) => part !== null).join(': '),
  ]);
  return head + report.columns(log);
}

interface Scripted {
  readonly clientOrderId?: string;
  readonly login?: string;
}

/** Sets how callbacks are delivered; `list` lists the ways. Throws USAGE. */
async function scriptCallbacks(
  name: string,
  { clientOrderId, login }: Scripted,
  sandbox: LocalSandbox,
  report: Reporter,
): Promise<void> {
  const { scripts, isScriptName, setScript } = await import('../../../sandbox/callbacks/scripts.js');
  if (name === 'list') {
    const text = () => report.columns(Object.entries(scripts));
    return report.show({ document: { schema: 'paycli.callback-scripts/1', scripts }, text });
  }
  if (!isScriptName(name))
    throw fail('USAGE', { why: `${name} is not a script; known: ${Object.keys(scripts).join(', ')}`, command });
  if (clientOrderId === undefined)
    throw fail('USAGE', { why: '--script needs --client-order-id, the order whose callbacks it is about', command });
  const merchant = login ?? sandbox.identity().login;
  if (!sandbox.merchants().some((each) => each.login === merchant))
    throw fail('USAGE', { why: `this sandbox has no merchant ${merchant}`, command });
  setScript(sandbox.store, merchant, clientOrderId, name);
  const how = name === 'never' ? 'not sent' : `sent ${scripts[name]}`;
  report.notes([`for merchant ${merchant}: callbacks for ${clientOrderId} are ${how}`]);
  if (login === undefined) report.notes(await otherMerchants(sandbox));
}
