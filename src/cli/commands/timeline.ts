import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { CommonOptions } from '../options.js';
import { exits } from '../outcome.js';
import { timelineDocument, timelineSheet, timelineText } from '../present/timeline.js';
import { gatherTimeline } from '../timeline/gather.js';
import { withSession } from '../with-session.js';

export interface TimelineOptions extends CommonOptions {
  readonly clientOrderId?: string;
}

/** Shows everything known here about an order; nothing is sent. */
export async function runTimeline(order: string | undefined, options: TimelineOptions, runtime: Runtime): Promise<number> {
  const { clientOrderId } = options;
  if (order === undefined && clientOrderId === undefined)
    throw fail('USAGE', { why: 'name the order by its order id, by --client-order-id, or by both', command: 'timeline' });
  return withSession(options, runtime, async (session, report) => {
    const timeline = await gatherTimeline({ order, clientOrderId }, session, runtime);
    const [first] = timeline.events;
    const began = first === undefined ? undefined : report.moment(first.at);
    await report.show({
      document: timelineDocument(timeline, { profile: session.name, gateway: session.place }),
      list: 'events',
      text: () => timelineText(timeline, runtime.terminal.width, report.paint, began),
      sheet: () => timelineSheet(timeline.events, report),
    });
    return exits.ok;
  });
}
