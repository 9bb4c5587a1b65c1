import { widthOf, wordLines } from '../../../errors/text-width.js';
import type { Paint } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import type { Document, Sheet } from '../../format/document.js';
import { oneLine } from '../../format/document.js';
import { waitingDocument } from '../../format/meaning.js';
import { durationText } from '../../format/time.js';
import { type Kind, marks, type Source, sources, type TimelineEvent } from './timeline-events.js';
import type { Timeline } from './timeline-gather.js';

const lanes: Readonly<Record<Source, readonly [letter: string, meaning: string]>> = {
  paycli: ['p', 'journal of paycli'],
  callbacks: ['c', 'callbacks received'],
  sandbox: ['s', 'log of the sandbox'],
};
const words: Readonly<Record<Kind, string>> = {
  planned: 'planned',
  request: 'request',
  answer: 'answer',
  refusal: 'refusal',
  state: 'state',
  step: '3DS',
  page: 'page',
  callback: 'callback',
  conflict: 'conflict',
  forward: 'forward',
  poll: 'poll',
  note: 'note',
};
const minGap = 10_000;
const timeWidth = '12:00:00.000'.length + 2;
const laneWidth = sources.length * 2 - 1 + 2;
/** With less room beside its time and marks, the text of an event stands below them, with this indent. */
const minRoom = 24;
const belowIndent = '    ';
const wordWidth = Math.max(...Object.values(words).map((word) => word.length)) + 2;

/** One event, or several equal status queries in a row. */
interface Row {
  readonly event: TimelineEvent;
  readonly last: number;
  readonly count: number;
}

/** A timeline for people: one event per line, a column of marks for each source, and the gaps in time. */
export function timelineText(
  { order, about, events }: Timeline,
  width: number,
  paint: Paint,
  startedAt?: string,
): string {
  const ids = [order.orderId, order.clientOrderId].filter((id) => id !== undefined).map(oneLine);
  const head = [
    `${paint.bold(`order ${ids.join(' / ')}`)}  ${oneLine(about)}`.trimEnd(),
    ...(startedAt === undefined ? [] : [`began ${startedAt}`]),
  ];
  return `${head.join('\n')}\n${eventsText(events, width, paint)}`;
}

/** The events with a legend of their columns. */
export function eventsText(events: readonly TimelineEvent[], width: number, paint: Paint): string {
  const legend = sources.map((source) => lanes[source].join(': ')).join('   ');
  const head = [paint.dim(legend), ''];
  const lines: string[] = [];
  let before: Row | undefined;
  for (const row of groupPolls(events)) {
    const { at } = row.event;
    const day = dayOf(at);
    if (before !== undefined && at - before.last >= minGap) lines.push(gapLine(at - before.last, paint));
    if (before === undefined || dayOf(before.event.at) !== day) lines.push(dayLine(day, paint));
    lines.push(...rowLines(row, width, paint));
    before = row;
  }
  return `${[...head, ...lines].join('\n')}\n`;
}

/** Groups equal status queries in a row. */
function groupPolls(events: readonly TimelineEvent[]): Row[] {
  const rows: Row[] = [];
  for (const event of events) {
    const before = rows.at(-1);
    const isSame = before?.event.kind === 'poll' && event.kind === 'poll' && before.event.source === event.source;
    if (before !== undefined && isSame && before.event.title === event.title)
      rows[rows.length - 1] = { ...before, last: event.at, count: before.count + 1 };
    else rows.push({ event, last: event.at, count: 1 });
  }
  return rows;
}

function rowLines({ event, last, count }: Row, width: number, paint: Paint): string[] {
  const repeats = count === 1 ? '' : ` (${count} times, the last at ${timeOf(last)})`;
  const title = `${oneLine(event.words ?? event.title)}${repeats}`;
  const place = `${timeOf(event.at).padEnd(timeWidth)}${laneText(event, paint)}`;
  const word = words[event.kind];
  const room = width - timeWidth - laneWidth - wordWidth;
  if (room < Math.max(minRoom, ...title.split(' ').map(widthOf)))
    return [
      `${place}${coloured(event.kind, word, paint)}`,
      ...wordLines(title.split(' '), width - belowIndent.length).map((text) => `${belowIndent}${text}`),
    ];
  const [first = '', ...more] = wordLines(title.split(' '), room);
  const idle = `${' '.repeat(timeWidth)}${laneText(undefined, paint)}${' '.repeat(wordWidth)}`;
  return [
    `${place}${coloured(event.kind, word.padEnd(wordWidth), paint)}${first}`,
    ...more.map((text) => `${idle}${text}`),
  ];
}

function laneText(event: TimelineEvent | undefined, paint: Paint): string {
  const cells = sources.map((source) =>
    event?.source === source ? coloured(event.kind, marks[event.kind], paint) : paint.dim('│'),
  );
  return `${cells.join(' ')}  `;
}

function dayLine(day: string, paint: Paint): string {
  const letters = sources.map((source) => lanes[source][0]).join(' ');
  return paint.dim(`${day.padEnd(timeWidth)}${letters}  UTC`);
}

function gapLine(ms: number, paint: Paint): string {
  const dots = sources.map(() => ':').join(' ');
  return paint.dim(`${' '.repeat(timeWidth)}${dots}  … ${durationText(ms)} …`);
}

function coloured(kind: Kind, text: string, paint: Paint): string {
  if (kind === 'refusal' || kind === 'conflict') return paint.bad(text);
  if (kind === 'callback' || kind === 'step' || kind === 'page') return paint.warn(text);
  return kind === 'poll' || kind === 'planned' ? paint.dim(text) : paint.name(text);
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

export function timelineSheet(events: readonly TimelineEvent[], report: Pick<Reporter, 'paint' | 'time'>): Sheet {
  return {
    columns: [{ head: 'time' }, { head: 'source' }, { head: 'kind' }, { head: 'what', flexible: true }],
    rows: events.map(({ at, source, kind, title, words: text = title }) => [
      report.time(at),
      source,
      coloured(kind, words[kind], report.paint),
      oneLine(text),
    ]),
  };
}

/** A timeline for programs. */
export function timelineDocument(
  { order, about, waiting, events }: Timeline,
  place: { readonly profile: string; readonly gateway: string },
): Document {
  return {
    schema: 'paycli.timeline/1',
    order: { orderId: order.orderId ?? null, clientOrderId: order.clientOrderId ?? null },
    about,
    waiting: waitingDocument(waiting),
    ...place,
    events: eventDocuments(events),
  };
}

export function eventDocuments(events: readonly TimelineEvent[]): readonly Document[] {
  return events.map(({ at, words: _, ...event }, index) => ({
    at: new Date(at).toISOString(),
    gapMs: at - (events[index - 1]?.at ?? at),
    ...event,
  }));
}
