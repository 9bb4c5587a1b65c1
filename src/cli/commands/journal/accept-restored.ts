import { adHocNames } from '../../../config/index.js';
import { exits, fail, isPaycliError, stopError } from '../../../errors/index.js';
import {
  describeIntent,
  type Intent,
  type Journal,
  queryableStates,
  withoutEffectStates,
} from '../../../journal/index.js';
import { type Classified, isOrderUnknown } from '../../../payments/classify.js';
import { isBeyondStatus } from '../../../payments/evidence.js';
import { unansweredWords } from '../../../payments/failure.js';
import { PaymentRecord } from '../../../payments/payment-record.js';
import { queryStatus, statusQueryFor } from '../../../payments/status-query.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { withUnverifiedJournal } from '../../core/user-stores.js';
import { intentDocument, intentSheet } from '../../format/journal-entries.js';
import { type GatewayContext, withGateway } from '../../gateway.js';
import { withSession } from '../../open-session.js';
import type { JournalDocument } from '../../results.js';

interface AcceptOptions extends CommonOptions {
  readonly evidence?: string;
}

/** An entry that could not be queried. */
interface UnqueriedEntry {
  readonly id: number;
  readonly why: string;
}

/**
 * Continues with a journal that lacks lines, once the gateway was queried about every order whose outcome it does not
 * know. Until then no command sends anything.
 */
export async function acceptRestored(options: AcceptOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter<JournalDocument>(options, undefined, runtime);
  return withUnverifiedJournal(runtime, async (journal) => {
    const { flaw } = journal.end();
    const lines = journal.lineCount();
    const show = (queried: number, unqueried: number, ids: readonly number[]) => {
      const intents = ids.flatMap((id) => journal.get(id) ?? []);
      const entries = intents.map((intent) => intentDocument(intent, journal.waiting(intent)));
      return report.show({
        document: {
          schema: 'paycli.journal/1',
          ok: true,
          accepted: flaw?.what ?? null,
          asked: queried,
          unasked: unqueried,
          entries,
        },
        list: 'entries',
        sheet: () => intentSheet(intents, report, journal),
        empty:
          flaw === undefined ? 'the journal is complete; nothing was lost' : 'it has no order with an open outcome',
      });
    };
    if (flaw === undefined) {
      await show(0, 0, []);
      return exits.ok;
    }
    // The same command would send those without effect, unless a later attempt that this journal has lost blocks it.
    const ids = journal.list({ states: [...withoutEffectStates, ...queryableStates] }).map(({ id }) => id);
    const unasked = await queryAll(ids, journal, options, runtime);
    const counted = unasked.filter(({ id }) => journal.get(id)?.class !== 'sandbox');
    if (counted.length > 0 && (options.evidence ?? '').trim() === '') throw unqueriedError(counted, journal);
    for (const { id, why } of unasked) markUnknown(journal, id, why);
    journal.acceptEnd(`after a restore: ${flaw.what}${options.evidence === undefined ? '' : `; ${options.evidence}`}`);
    await show(ids.length - unasked.length, unasked.length, ids);
    report.warn([
      `accepted with ${lines} lines. Requests sent after this copy was made are missing from it: compare the gateway's list of orders with \`paycli journal\` before you retry a payment. Caps count only what this journal holds`,
    ]);
    return exits.ok;
  });
}

/** Queries each entry with the profile it was sent with. */
async function queryAll(
  ids: readonly number[],
  journal: Journal,
  options: CommonOptions,
  runtime: Runtime,
): Promise<readonly UnqueriedEntry[]> {
  const byProfile = new Map<string, number[]>();
  for (const id of ids) {
    const profile = journal.get(id)?.profile ?? '';
    byProfile.set(profile, [...(byProfile.get(profile) ?? []), id]);
  }
  const unqueried: UnqueriedEntry[] = [];
  for (const [profile, entryIds] of byProfile) {
    try {
      await withSession(connectionTo(profile, options), runtime, async (session, report) => {
        const tools = { options, session, report, runtime };
        await withGateway(tools, async (gateway) => {
          for (const id of entryIds) {
            if (gateway.stop.signal.aborted) break;
            const why = await queryEntry(id, journal, gateway);
            if (why !== undefined) unqueried.push({ id, why });
          }
          // Evidence is for what could not be queried, not for what was not waited for.
          if (gateway.stop.signal.aborted) throw stopError(gateway.stop.signal);
        });
      });
    } catch (error) {
      if (!isPaycliError(error) || ['STORAGE', 'INTERRUPTED', 'TERMINATED'].includes(error.code)) throw error;
      const known = unqueried.map(({ id }) => id);
      unqueried.push(...entryIds.filter((id) => !known.includes(id)).map((id) => ({ id, why: error.message })));
    }
  }
  return unqueried;
}

/** A request sent by flags and environment alone is queried by them; any other by its profile. */
function connectionTo(profile: string, options: CommonOptions): CommonOptions {
  if (adHocNames.some((name) => name === profile)) return options;
  const { output, live, timeout, color, quiet, verbose } = options;
  const typed = Object.entries({ output, live, timeout, color, quiet, verbose }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...Object.fromEntries(typed), profile };
}

/** Why an entry could not be queried; undefined once the gateway has answered. */
async function queryEntry(id: number, journal: Journal, gateway: GatewayContext): Promise<string | undefined> {
  const intent = journal.get(id);
  if (intent === undefined) return undefined;
  if (intent.base !== gateway.session.gatewayBase) return 'its profile now uses another gateway';
  if (isBeyondStatus(intent.operation)) {
    // Status cannot show this operation, so the entry stays in doubt.
    if (withoutEffectStates.includes(intent.state) && intent.effect === 'money')
      markUnknown(journal, id, 'no status reply can show it');
    return undefined;
  }
  const answer = await queryStatus(gateway.connection, statusQueryFor(intent), gateway.watched);
  const recordOf = (known: Intent) => new PaymentRecord(journal, known, gateway.session.assume['minor-digits']);
  const record = recordOf(intent);
  if (answer.class === 'accepted' && answer.fields !== undefined) {
    const isNews = withoutEffectStates.includes(intent.state);
    if (isNews && (await record.evidence(answer.fields)).proves === 'nothing')
      markUnknown(journal, id, 'the gateway has the order, but its reply does not show the outcome of this request');
    // This copy has it as never sent: it was sent after the copy was made.
    else await storeOrThrow(isNews ? recordOf(beginCopy(journal, intent)) : record, answer);
    return undefined;
  }
  if (!isOrderUnknown(answer)) return unansweredWords(answer);
  await storeOrThrow(record, answer);
  return undefined;
}

/** Throws the STORAGE error that a record only keeps. */
async function storeOrThrow(record: PaymentRecord, answer: Classified): Promise<void> {
  record.markAbandoned();
  await record.recordAnswer(answer);
  if (record.fault !== undefined) throw record.fault;
}

/** Marks an entry as possibly sent, so that nothing is sent again under it. */
function markUnknown(journal: Journal, id: number, why: string): void {
  const intent = journal.get(id);
  if (intent === undefined || !withoutEffectStates.includes(intent.state)) return;
  journal.recordResult(beginCopy(journal, intent).id, 'unknown', {
    reason: `it may have been sent after this copy of the journal was made: ${why}`,
  });
}

function beginCopy(journal: Journal, intent: Intent): Intent {
  return journal.begin(intent, false, { isCopy: true });
}

function unqueriedError(unasked: readonly UnqueriedEntry[], journal: Journal): Error {
  const words = unasked.slice(0, 5).map(({ id, why }) => {
    const intent = journal.get(id);
    return `${intent === undefined ? `entry ${id}` : describeIntent(intent)}: ${why}`;
  });
  const more = unasked.length > words.length ? `; and ${unasked.length - words.length} more` : '';
  return fail('STORAGE', {
    what: 'the journal',
    why: `the gateway could not be queried about ${unasked.length} of its orders (${words.join('; ')}${more})`,
    how: 'nothing was sent or adopted; correct the cause, then repeat the command. Where the gateway can no longer be queried, give the reason with --evidence TEXT; those orders then count as unknown',
    count: unasked.length,
  });
}
