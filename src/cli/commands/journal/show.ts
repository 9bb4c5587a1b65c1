import { fail } from '../../../errors/index.js';
import type { Event, Journal, Request } from '../../../journal/port.js';
import { states } from '../../../journal/states.js';
import { onOrder } from '../../../payments/settle.js';
import type { Runtime } from '../../../runtime/ports.js';
import { printable } from '../../../wire/redact.js';
import type { CommonOptions } from '../../core/common-options.js';
import { inJournal, journalInUse, warnIfRestored } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { possibleEffect, reasonText, requestDocument, requestSheet, stateText } from '../../format/journal-entries.js';
import { commandOf, sumOf, waitingIn, waitingText } from '../../format/meaning.js';
import { profileText } from '../../format/profile.js';
import { describeEvent, eventDocument, joined } from '../../format/request-events.js';
import { timeText } from '../../format/time.js';
import type { DocumentOf } from '../../results.js';

interface Shown {
  readonly request: Request;
  readonly events: readonly Event[];
}

/** Every entry of an order with everything that happened to it; of one profile where it is named. */
export async function showEntries(order: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const { profile } = options;
  const report = new Reporter<DocumentOf<'journal'>>(options, undefined, runtime);
  const shown = await inJournal<readonly Shown[]>(runtime, await journalInUse(profile, runtime), [], (journal) => {
    warnIfRestored(journal, report);
    return findEntries(journal, order, profile);
  });
  if (shown.length === 0)
    throw fail('USAGE', {
      why: `the journal has no entry or order ${order}${profile === undefined ? '' : ` of profile ${profile}`}`,
      order,
    });
  const requests = shown.map(({ request }) => request);
  await report.show({
    document: {
      schema: 'paycli.journal/1',
      entries: shown.map(({ request, events }) => ({ ...requestDocument(request), events: events.map(eventDocument) })),
    },
    list: 'entries',
    text: () => shown.map((entry) => textOf(entry, report)).join('\n'),
    sheet: () => requestSheet(requests, report),
  });
  return 0;
}

async function findEntries(journal: Journal, order: string, profile: string | undefined): Promise<Shown[]> {
  const onThat = await onOrder(journal, { order, profile });
  const isNumber = onThat.length === 0 && /^\d{1,15}$/.test(order);
  const requests = isNumber ? await onOrder(journal, { ids: [Number(order)], profile }) : onThat;
  return Promise.all(
    requests.map(async (request) => ({ request, events: await journal.events({ request: request.id }) })),
  );
}

function textOf({ request, events }: Shown, report: Reporter): string {
  const { paint } = report;
  const lines = events.map((event) => {
    const { state, words } = describeEvent(event);
    // Of a card reference or a check no money moves.
    const meaning = state === 'unknown' ? `the outcome is unknown: ${possibleEffect(request.operation)}` : undefined;
    const text = joined(meaning ?? (state && states[state]), words);
    return [`  ${timeText(event.at)}`, state ?? '', printable(text)];
  });
  const outcome = Object.entries(request.outcome).map(([name, value]) => [
    `  ${paint.name(printable(name))}`,
    printable(value),
  ]);
  const reply = outcome.length === 0 ? '' : `${paint.dim('  the stored part of the reply:')}\n`;
  return `${headOf(request, report)}${report.columns(lines)}${reply}${report.columns(outcome)}`;
}

function headOf(request: Request, report: Reporter): string {
  const { paint } = report;
  const { id, state, createdAt, batch, number, orderId, clientOrderId } = request;
  const waiting = waitingIn([request]);
  const rows = [
    ['  order', [orderId, clientOrderId].filter((name) => name !== undefined).join(' / ')],
    ['  profile', profileText(request)],
    ['  made', report.moment(createdAt)],
    ['  row', batch === undefined ? '' : `${number} of batch ${batch}`],
    ['  reason', waiting === undefined ? reasonText(request) : waitingText(waiting)],
  ];
  const shown = rows.filter(([, value]) => value !== '').map((row) => row.map(printable));
  const what = `${commandOf(request)} ${sumOf(request)}`.trim();
  return `${paint.bold(`entry ${id}`)}  ${what}: ${stateText(state, paint)}\n${report.columns(shown)}`;
}
