import { fail, shellWord } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { StoredCallback } from '../../../sandbox/callbacks/outbox.js';
import { defineCommand, type FlagsFor, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import type { Sheet } from '../../format/document.js';
import { timeText } from '../../format/time.js';
import { statusText } from '../../print-reply.js';
import { findListening, openLocalSandbox } from '../../sandbox-session.js';
import { otherMerchants } from './which-sandbox.js';

interface OutboxOptions extends CommonOptions {
  readonly order?: string;
}

export const sandboxCallbacksList = defineCommand({
  summary: 'List all callbacks, with every delivery attempt',
  flags: {
    order: word('<id>', 'only for this order (gateway order id or client order id)'),
    ...outputFlags,
  } satisfies FlagsFor<OutboxOptions>,
  effect: 'local',
  result: ['callbacks'],
  run: ({ flags, runtime }) => listOutbox(flags as OutboxOptions, runtime),
});

/** The outbox and the delivery log. */
async function listOutbox(options: OutboxOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const sandbox = await openLocalSandbox(runtime);
  try {
    const { listCallbacks } = await import('../../../sandbox/callbacks/outbox.js');
    const { advance } = await import('../../../sandbox/clock.js');
    const callbacks = sandbox.store.database.transaction(() => {
      advance(sandbox.store);
      return listCallbacks(sandbox.store, options.order);
    });
    const listening = (await findListening(runtime))?.url;
    await report.show({
      document: { schema: 'paycli.callbacks/1', listening: listening ?? null, callbacks },
      list: 'callbacks',
      text: () => callbacks.map((each) => textOf(each, report)).join(''),
      sheet: () => sheetOf(callbacks, report),
      empty:
        options.order === undefined
          ? 'no callbacks yet; send an order with --server-callback-url to get some'
          : 'no callbacks for this order; `paycli sandbox callbacks list` shows all',
    });
    if (listening === undefined && callbacks.some(({ state }) => state === 'pending'))
      report.notes(['the sandbox is not running, so callbacks stay pending; `paycli sandbox start` delivers them']);
    const lost = callbacks.find(({ state }) => state === 'given-up' || state === 'withheld');
    if (lost !== undefined)
      report.notes([
        `order ${lost.orderId}: its callback is ${lost.state}; \`paycli callback send ${lost.orderId} --to ${shellWord(lost.url)} --profile sandbox\` sends one`,
      ]);
    return 0;
  } finally {
    sandbox.close();
  }
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
    `  ${index + 1}`,
    timeText(Date.parse(at)),
    answered === null ? '-' : String(answered),
    milliseconds === null ? '' : `${milliseconds} ms`,
    [reason, reply === null || reply === '' ? null : `"${reply}"`].filter((part) => part !== null).join(': '),
  ]);
  return head + report.columns(log);
}

interface ScriptOptions extends CommonOptions {
  readonly clientOrderId?: string;
  readonly login?: string;
}

const command = 'sandbox callbacks script';

export const sandboxCallbacksScript = defineCommand({
  summary: 'Set how callbacks of an order are delivered: late, twice, corrupted and so on',
  args: { script: { text: 'script name; omit it to list all', isOptional: true } },
  flags: {
    clientOrderId: word('<id>', 'the order, by your client order id; it need not exist yet'),
    login: word('<login>', 'its merchant (default: the built-in one)'),
    ...outputFlags,
  } satisfies FlagsFor<ScriptOptions>,
  effect: 'local',
  result: ['callback-scripts'],
  run: ({ args: { script: name }, flags, runtime }) => scriptCallbacks(name, flags as ScriptOptions, runtime),
});

/** Sets how callbacks are delivered, or lists the scripts. Throws USAGE. */
async function scriptCallbacks(name: string | undefined, options: ScriptOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { scripts, isScriptName, setScript } = await import('../../../sandbox/callbacks/scripts.js');
  const { clientOrderId, login } = options;
  if (name === undefined && clientOrderId === undefined) {
    await report.show({
      document: { schema: 'paycli.callback-scripts/1', scripts },
      text: () => report.columns(Object.entries(scripts)),
    });
    return 0;
  }
  if (name === undefined || clientOrderId === undefined)
    throw fail('USAGE', { why: 'write `paycli sandbox callbacks script NAME --client-order-id ID`', command });
  if (!isScriptName(name))
    throw fail('USAGE', { why: `${name} is not a script; known: ${Object.keys(scripts).join(', ')}`, command });
  const sandbox = await openLocalSandbox(runtime);
  try {
    const merchant = login ?? sandbox.identity().login;
    if (!sandbox.merchants().some((each) => each.login === merchant))
      throw fail('USAGE', { why: `this sandbox has no merchant ${merchant}`, command });
    setScript(sandbox.store, merchant, clientOrderId, name);
    const how = name === 'never' ? 'not sent' : `sent ${scripts[name]}`;
    report.notes([`for merchant ${merchant}: callbacks for ${clientOrderId} are ${how}`]);
    if (login === undefined) report.notes(await otherMerchants(sandbox));
    return 0;
  } finally {
    sandbox.close();
  }
}
