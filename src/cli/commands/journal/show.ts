import { fail, shellWord } from '../../../errors/index.js';
import type { Event, Journal, Request } from '../../../journal/port.js';
import { states } from '../../../journal/states.js';
import { onOrder } from '../../../payments/settle.js';
import type { Runtime } from '../../../runtime/ports.js';
import { printable } from '../../../wire/redact.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkFilter } from '../../core/options.js';
import { inJournal, journalInUse, warnIfRestored } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { possibleEffect, reasonText, requestDocument, requestSheet, stateText } from '../../format/journal-entries.js';
import { commandOf, idWord, sumOf, waitingIn, waitingText } from '../../format/meaning.js';
import { profileText } from '../../format/profile.js';
import { describeEvent, eventDocument, joined } from '../../format/request-events.js';
import { timeText } from '../../format/time.js';
import type { DocumentOf } from '../../results.js';

/** Every entry of an order with everything that happened to it. */
export async function showEntries(order: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const { profile } = options;
  const report = new Reporter<DocumentOf<'journal'>>(options, undefined, runtime);
  const which = await journalInUse(profile, runtime);
  const isShown = await inJournal(runtime, which, false, async (journal) => {
    await checkFilter(
      profile,
      runtime,
      async (name) => (await journal.find({ profile: name }, { limit: 1 })).length > 0,
    );
    warnIfRestored(journal, report);
    const found = await find(journal, order);
    const requests = found.filter((each) => profile === undefined || each.profile === profile);
    if (requests.length === 0) throw unknownEntry(order);
    const shown = await Promise.all(
      requests.map(async (request) => ({ request, events: await journal.events({ request: request.id }) })),
    );
    await report.show({
      document: {
        schema: 'paycli.journal/1',
        entries: shown.map(({ request, events }) => ({
          ...requestDocument(request),
          events: events.map(eventDocument),
        })),
      },
      list: 'entries',
      text: () => shown.map((entry) => textOf(entry, report)).join('\n'),
      sheet: () => requestSheet(requests, report),
    });
    report.notes(severalProfiles(order, requests));
    return true;
  });
  if (isShown) return 0;
  await checkFilter(profile, runtime, () => false);
  throw unknownEntry(order);
}

function unknownEntry(order: string): Error {
  return fail('USAGE', {
    why: `the journal has no entry or order ${order} of this profile`,
    order,
    command: 'journal',
  });
}

/** How to choose, where several profiles sent requests on an order of this id. */
function severalProfiles(order: string, requests: readonly Request[]): readonly string[] {
  const profiles = [...new Set(requests.map(({ profile }) => profile))];
  if (profiles.length < 2) return [];
  const commands = showCommands(order, profiles).join(' or ');
  return [`${profiles.length} profiles have an order of this id; for one of them: ${commands}`];
}

function showCommands(order: string, profiles: readonly string[]): readonly string[] {
  const word = idWord(order, 'clientOrderId', 'ORDER');
  return profiles.map((profile) => `\`paycli journal ${word} --profile ${shellWord(profile, 'NAME')}\``);
}

async function find(journal: Journal, order: string): Promise<readonly Request[]> {
  const found = await onOrder(journal, { order });
  return found.length === 0 && /^\d{1,15}$/.test(order) ? onOrder(journal, { ids: [Number(order)] }) : found;
}

interface Shown {
  readonly request: Request;
  readonly events: readonly Event[];
}

function textOf({ request, events }: Shown, report: Reporter): string {
  const { paint } = report;
  const lines = events.map((event) => {
    const { state, words } = describeEvent(request, event);
    // Of a card reference or a check no money moves.
    const meaning = state === 'unknown' ? `the outcome is unknown: ${possibleEffect(request.operation)}` : undefined;
    const text = joined(meaning ?? (state && states[state]), words);
    return [`  ${timeText(event.at)}`, state ?? '', printable(text)];
  });
  const outcome = Object.entries(request.outcome).map(([name, value]) => [
    `  ${paint.name(printable(name))}`,
    printable(value),
  ]);
  return (
    headOf(request, report) +
    report.columns(lines) +
    (outcome.length === 0 ? '' : `${paint.dim('  the stored part of the reply:')}\n${report.columns(outcome)}`)
  );
}

function headOf(request: Request, report: Reporter): string {
  const { paint } = report;
  const { id, state, createdAt, batch, number } = request;
  const reason = reasonText(request);
  const waiting = waitingIn([request]);
  const order = [request.orderId, request.clientOrderId].filter((name) => name !== undefined).join(' / ');
  const what = [commandOf(request), sumOf(request)].filter((word) => word !== '').join(' ');
  return `${paint.bold(`entry ${id}`)}  ${what}: ${stateText(state, paint)}\n${report.columns([
    ['  order', printable(order)],
    ['  profile', printable(profileText(request))],
    ['  made', report.moment(createdAt)],
    ...(batch === undefined ? [] : [['  row', `${number} of batch ${batch}`]]),
    ...(reason === '' ? [] : [['  reason', printable(reason)]]),
    ...(waiting === undefined ? [] : [['  now', waitingText(waiting)]]),
  ])}`;
}
