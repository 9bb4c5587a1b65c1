import { fail } from '../../../errors/index.js';
import type { Journal } from '../../../journal/port.js';
import { states } from '../../../journal/states.js';
import { onOrder } from '../../../payments/settle.js';
import type { Runtime } from '../../../runtime/ports.js';
import { printable } from '../../../wire/redact.js';
import type { CommonOptions } from '../../core/common-options.js';
import { inJournal, journalInUse, warnIfRestored } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { possibleEffect, requestSheet } from '../../format/journal-entries.js';
import { describeEvent, joined } from '../../format/request-events.js';
import { timeText } from '../../format/time.js';
import type { DocumentOf } from '../../results.js';
import { type Entry, entryDocument, withEvents } from '../order/timeline.js';

/** Every entry of an order with everything that happened to it; of one profile where it is named. */
export async function showEntries(order: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const { profile } = options;
  const report = new Reporter<DocumentOf<'journal'>>(options, undefined, runtime);
  const shown = await inJournal<readonly Entry[]>(runtime, await journalInUse(profile, runtime), [], (journal) => {
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
      entries: shown.map(entryDocument),
    },
    list: 'entries',
    text: () => shown.map((entry) => textOf(entry, report)).join('\n'),
    sheet: () => requestSheet(requests, report),
  });
  return 0;
}

async function findEntries(journal: Journal, order: string, profile: string | undefined): Promise<readonly Entry[]> {
  const onThat = await onOrder(journal, { order, profile });
  const isNumber = onThat.length === 0 && /^\d{1,15}$/.test(order);
  const requests = isNumber ? await onOrder(journal, { ids: [Number(order)], profile }) : onThat;
  return withEvents(requests, journal);
}

function textOf({ request, events }: Entry, report: Reporter): string {
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
  return `${report.sheet(requestSheet([request], report))}${report.columns(lines)}${reply}${report.columns(outcome)}`;
}
