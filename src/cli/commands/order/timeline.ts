import type { Document, Sheet } from '../../format/document.js';
import { oneLine } from '../../format/document.js';
import { waitingDocument } from '../../format/meaning.js';
import { tableText } from '../../format/table.js';
import type { TimelineDocument } from '../../results.js';
import type { Timeline } from './timeline-gather.js';

/** A timeline for people: one event per line, with who recorded it. */
export function timelineText(timeline: Timeline, width: number | undefined, bold = (text: string) => text): string {
  const { order, about } = timeline;
  const ids = [order.orderId, order.clientOrderId].filter((id) => id !== undefined).map(oneLine);
  const head = `${bold(`order ${ids.join(' / ')}`)}  ${oneLine(about)}`.trimEnd();
  return `${head}\n${tableText(timelineSheet(timeline), width, (text) => text)}`;
}

export function timelineSheet({ events }: Timeline): Sheet {
  return {
    columns: [{ head: 'time' }, { head: 'source' }, { head: 'kind' }, { head: 'what', flexible: true }],
    rows: events.map(({ at, source, kind, title, words = title }) => [
      new Date(at).toISOString(),
      source,
      kind,
      oneLine(words),
    ]),
  };
}

/** A timeline for programs. */
export function timelineDocument(
  { order, about, waiting, events }: Timeline,
  place: { readonly profile: string; readonly gateway: string },
): TimelineDocument {
  return {
    schema: 'paycli.timeline/1',
    order: { orderId: order.orderId ?? null, clientOrderId: order.clientOrderId ?? null },
    about,
    waiting: waitingDocument(waiting),
    ...place,
    events: events.map(({ at, words: _, ...event }): Document => ({ at: new Date(at).toISOString(), ...event })),
  };
}
