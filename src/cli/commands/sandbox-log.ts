import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { LoggedEvent } from '../../sandbox/log/read.js';
import { printable, printableJson } from '../../wire/redact.js';
import { openBox } from '../box.js';
import type { CommonOptions } from '../options.js';
import { Reporter } from '../reporter.js';

export interface LogOptions extends CommonOptions {
  readonly order?: string;
  readonly follow?: boolean;
  readonly limit?: string;
}

const followedEveryMs = 250;
const mostAtOnce = 1000;

/** What happened in the sandbox; with --follow until SIGINT or SIGTERM. */
export async function runSandboxLog(options: LogOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const limit = /^[1-9]\d{0,5}$/.test(options.limit ?? '200') ? Number(options.limit ?? '200') : 0;
  if (limit === 0) throw fail('USAGE', { why: '--limit takes a whole number from 1 to 999999', command: 'sandbox log' });
  const { readEvents } = await import('../../sandbox/log/read.js');
  const world = await openBox(runtime);
  try {
    const show = (events: readonly LoggedEvent[]) => {
      for (const event of events) report.out(report.json ? jsonLine(event) : textLine(event, report));
      return events.at(-1)?.id;
    };
    const shown = show(readEvents(world.store, { order: options.order, limit })) ?? 0;
    if (options.follow !== true) {
      if (shown === 0) report.notes([options.order === undefined ? 'nothing has happened yet' : 'nothing is known of such an order']);
      return 0;
    }
    await follow(shown, runtime, (after) => show(readEvents(world.store, { order: options.order, after, limit: mostAtOnce })));
    return 0;
  } finally {
    world.close();
  }
}

async function follow(shown: number, { clock, processes }: Runtime, more: (after: number) => number | undefined): Promise<void> {
  let isStopped = false;
  const forget = processes.onStop(() => {
    isStopped = true;
  });
  let after = shown;
  while (!isStopped) {
    await clock.sleep(followedEveryMs);
    after = more(after) ?? after;
  }
  forget();
}

function jsonLine({ at, machineAt, fields, ...event }: LoggedEvent): string {
  const { orderId = null, login = null } = event;
  const times = { at: new Date(at).toISOString(), machineAt: new Date(machineAt).toISOString() };
  return printableJson(
    `${JSON.stringify({ schema: 'paycli.event/1', ...event, orderId, login, ...times, fields: Object.fromEntries(fields) })}\n`,
  );
}

function textLine({ at, kind, orderId, title, detail }: LoggedEvent, { paint }: Reporter): string {
  const word = kind === 'refusal' ? paint.bad(kind.padEnd(8)) : paint.name(kind.padEnd(8));
  const { status, signature, ms } = detail;
  const facts = [status === undefined ? undefined : `HTTP ${status}`, signature, ms === undefined ? undefined : `${ms} ms`].filter(
    (fact) => fact !== undefined,
  );
  const behind = facts.length === 0 ? '' : `  ${paint.dim(`(${facts.join(', ')})`)}`;
  const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  return `${paint.dim(time)}  ${word}  ${(orderId ?? '-').padEnd(9)}  ${printable(title).replaceAll('\n', ' ')}${behind}\n`;
}
