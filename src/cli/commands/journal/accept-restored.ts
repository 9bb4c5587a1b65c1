import { adHocNames } from '../../../config/index.js';
import { exits, fail, isPaycliError, stopError } from '../../../errors/index.js';
import { findAll, listAll } from '../../../journal/find.js';
import type { Journal, Request, Restored } from '../../../journal/port.js';
import { askRestored, markUnknown, onOrder, statesToAsk, wasAsked } from '../../../payments/settle.js';
import { describe } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { inJournal, journalInUse } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { marksPath } from '../../core/user-stores.js';
import { requestDocument, requestSheet } from '../../format/journal-entries.js';
import { timeText } from '../../format/time.js';
import { withGateway } from '../../gateway.js';
import type { DocumentOf } from '../../results.js';
import { withSession } from '../../session.js';

interface AcceptOptions extends CommonOptions {
  readonly evidence?: string;
}

/** A request that the gateway could not be asked about. */
interface Unasked {
  readonly request: Request;
  readonly why: string;
}

/**
 * Continues with a journal of which a part is lost, once the gateway was asked about every request that it may have, or
 * whose outcome is open. Until then no command sends anything. Asks only about the rest when it is run again.
 */
export async function acceptRestored(options: AcceptOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter<DocumentOf<'journal'>>(options, undefined, runtime);
  const done = await inJournal(runtime, await journalInUse(options.profile, runtime), undefined, async (journal) => {
    const { restored } = journal;
    if (restored === undefined) return undefined;
    await journal.markGone();
    const { ids, unasked } = await askAll(journal, restored, options, runtime);
    const counted = unasked.filter(({ request }) => request.class !== 'sandbox');
    if (counted.length > 0 && (options.evidence ?? '').trim() === '') throw unaskedError(counted);
    for (const { request, why } of unasked) await markUnknown(request, journal, why);
    const gap = gapText(restored, runtime);
    const counts = { asked: ids.length - unasked.length, unasked: unasked.length };
    await journal.acceptRestored({ gap, ...counts, evidence: options.evidence });
    report.warn([
      `accepted: ${gap}. Requests of that time are missing from it: compare the gateway's list of orders with \`paycli journal\` before you retry a payment. Caps count only what this journal holds`,
    ]);
    return { accepted: gap, ...counts, found: await listAll(journal, { ids }) };
  });
  const { found, ...result } = done ?? { accepted: null, asked: 0, unasked: 0, found: [] };
  await report.show({
    document: { schema: 'paycli.journal/1', ok: true, ...result, entries: found.map(requestDocument) },
    list: 'entries',
    sheet: () => requestSheet(found, report),
    empty: done === undefined ? 'the journal is complete; nothing was lost' : 'it has no order with an open outcome',
  });
  return exits.ok;
}

/** What the journal lacks, in words. */
function gapText({ why, marked, newest }: Restored, runtime: Runtime): string {
  if (why === 'unreadable') return `what is noted of it in ${marksPath(runtime)} cannot be read`;
  const until = marked === undefined ? '' : `, up to event ${marked.event} at ${timeText(marked.at)}`;
  if (why === 'other-store') return `it is a new one, and lacks all that was recorded before${until}`;
  const from = newest === undefined ? '' : ` after event ${newest.event} at ${timeText(newest.at)}`;
  return `it lacks what was recorded${from}${until}`;
}

interface AskedAll {
  readonly ids: readonly number[];
  readonly unasked: readonly Unasked[];
}

/** Asks about each request with the profile it was sent with. */
async function askAll(
  journal: Journal,
  restored: Restored,
  options: CommonOptions,
  runtime: Runtime,
): Promise<AskedAll> {
  const byProfile = new Map<string, number[]>();
  for await (const { id, profile } of findAll(journal, { states: statesToAsk }))
    byProfile.set(profile, [...(byProfile.get(profile) ?? []), id]);
  const unasked: Unasked[] = [];
  for (const [profile, ids] of byProfile) {
    try {
      await withSession(connectionTo(profile, options), runtime, (session, report) =>
        withGateway({ options, session, report, runtime }, async ({ connection, watched, stop }) => {
          for (const id of ids) {
            const [request] = await onOrder(journal, { ids: [id] });
            if (request === undefined || (await wasAsked(journal, request, restored))) continue;
            if (stop.signal.aborted) throw stopError(stop.signal);
            const isSame = request.base === session.gatewayBase && request.login === session.login;
            const why = isSame
              ? await askRestored(request, journal, restored, connection, watched)
              : 'its profile now uses another gateway or login';
            if (why !== undefined) unasked.push({ request, why });
            if (isSame && session.class !== 'sandbox') await runtime.clock.sleep(pauseMs);
          }
          // Evidence is for what could not be asked, not for what was not waited for.
          if (stop.signal.aborted) throw stopError(stop.signal);
        }),
      );
    } catch (error) {
      if (!isPaycliError(error) || ['STORAGE', 'INTERRUPTED', 'TERMINATED'].includes(error.code)) throw error;
      const known = new Set(unasked.map(({ request }) => request.id));
      for await (const request of findAll(journal, { ids: ids.filter((id) => !known.has(id)) }))
        if (!(await wasAsked(journal, request, restored))) unasked.push({ request, why: error.message });
    }
  }
  return { ids: [...byProfile.values()].flat(), unasked };
}

/** Between two queries, so that a long journal does not flood the gateway. */
const pauseMs = 100;

/** A request sent by flags and environment alone is asked about by them; any other by its profile. */
function connectionTo(profile: string, options: CommonOptions): CommonOptions {
  if (adHocNames.some((name) => name === profile)) return options;
  const kept = ['output', 'live', 'timeout', 'color', 'quiet', 'verbose'];
  return { ...Object.fromEntries(Object.entries(options).filter(([name]) => kept.includes(name))), profile };
}

function unaskedError(unasked: readonly Unasked[]): Error {
  const words = unasked.slice(0, 5).map(({ request, why }) => `${describe(request)}: ${why}`);
  const more = unasked.length > words.length ? `; and ${unasked.length - words.length} more` : '';
  return fail('STORAGE', {
    what: 'the journal',
    why: `the gateway could not be queried about ${unasked.length} of its orders (${words.join('; ')}${more})`,
    how: 'nothing was sent or accepted; correct the cause, then repeat the command. Where the gateway can no longer be queried, give the reason with --evidence TEXT; those orders then count as unknown',
    count: unasked.length,
  });
}
