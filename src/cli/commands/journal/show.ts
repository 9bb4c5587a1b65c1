import { fail, shellWord } from '../../../errors/index.js';
import {
  type ChainLine,
  type Intent,
  type Journal,
  type State,
  settledWord,
  states,
  type Waiting,
} from '../../../journal/index.js';
import { possibleEffect } from '../../../payments/evidence.js';
import { remarkText, unknownOrderRemark } from '../../../payments/status-query.js';
import type { Runtime } from '../../../runtime/ports.js';
import { printable } from '../../../wire/redact.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkFilter } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { withJournal } from '../../core/user-stores.js';
import { intentDocument, intentSheet, stateText, sumOf } from '../../format/journal-entries.js';
import { commandOf, idWord, waitingText } from '../../format/meaning.js';
import { profileText } from '../../format/profile.js';
import { timeText } from '../../format/time.js';
import type { JournalDocument } from '../../results.js';

/** Every entry of an order with all its state changes. */
export async function showEntries(order: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const { profile } = options;
  const report = new Reporter<JournalDocument>(options, undefined, runtime);
  return withJournal(runtime, async (journal) => {
    await checkFilter(profile, runtime, () => journal.list({ profile }).length > 0);
    const found = find(journal, order);
    const intents = found.filter((each) => profile === undefined || each.profile === profile);
    if (intents.length === 0) throw notOfProfile(order, found);
    const shown = intents.map((intent) => ({
      intent,
      moves: journal.linesAbout(intent.id),
      waiting: journal.waiting(intent),
    }));
    await report.show({
      document: {
        schema: 'paycli.journal/1',
        entries: shown.map(({ intent, moves, waiting }) => ({
          ...intentDocument(intent, waiting),
          moves: moves.map(moveDocument),
        })),
      },
      list: 'entries',
      text: () => shown.map((entry) => textOf(entry, report)).join('\n'),
      sheet: () => intentSheet(intents, report, journal),
    });
    report.notes(severalProfiles(order, intents));
    return 0;
  });
}

/** Why nothing is shown, where only other profiles have it, or none does. */
function notOfProfile(order: string, elsewhere: readonly Intent[]): Error {
  const [first] = elsewhere;
  if (first === undefined)
    return fail('USAGE', { why: `the journal has no entry or order ${order}`, order, command: 'journal' });
  const profiles = [...new Set(elsewhere.map(({ profile }) => profile))];
  const what = first.orderId === order || first.clientOrderId === order ? `order ${order}` : `entry ${first.id}`;
  return fail('OTHER_PROFILE', {
    what,
    clause: `was sent with profile ${profiles.join(' and ')}`,
    how: showCommands(order, profiles).join(' or '),
  });
}

/** How to choose, where several profiles sent requests on an order of this id. */
function severalProfiles(order: string, intents: readonly Intent[]): readonly string[] {
  const profiles = [...new Set(intents.map(({ profile }) => profile))];
  if (profiles.length < 2) return [];
  const commands = showCommands(order, profiles).join(' or ');
  return [`${profiles.length} profiles have an order of this id; for one of them: ${commands}`];
}

function showCommands(order: string, profiles: readonly string[]): readonly string[] {
  const word = idWord(order, 'clientOrderId', 'ORDER');
  return profiles.map((profile) => `\`paycli journal ${word} --profile ${shellWord(profile, 'NAME')}\``);
}

function find(journal: Journal, order: string): Intent[] {
  const found = journal.list({ order });
  const entry = found.length === 0 && /^\d{1,15}$/.test(order) ? journal.get(Number(order)) : undefined;
  return entry === undefined ? found : [entry];
}

interface Shown {
  readonly intent: Intent;
  readonly moves: readonly ChainLine[];
  readonly waiting: Waiting | undefined;
  /** What a request without an amount was for. */
}

function textOf({ intent, moves, waiting }: Shown, report: Reporter): string {
  const { paint } = report;
  const lines = moves.map(({ at, from, to, reason, facts }) => [
    `  ${timeText(at)}`,
    from === to ? '' : to,
    from === to
      ? `${reason === unknownOrderRemark ? 'queried: ' : ''}${printable(remarkText(reason))}`
      : [stateWords(intent, intentState(to)), settlementIn(intent, to, facts) ?? reason]
          .filter((word) => word !== '')
          .map(printable)
          .join('; '),
  ]);
  const outcome = Object.entries(intent.outcome).map(([name, value]) => [
    `  ${paint.name(printable(name))}`,
    printable(value),
  ]);
  return (
    headOf({ intent, waiting }, report) +
    report.columns(lines) +
    (outcome.length === 0 ? '' : `${paint.dim('  the stored part of the reply:')}\n${report.columns(outcome)}`)
  );
}

function stateWords({ operation }: Intent, state: State): string {
  return state === 'unknown' ? `the outcome is unknown: ${possibleEffect(operation)}` : states[state];
}

/** A manual settlement, who recorded it and the evidence; undefined for any other line. */
function settlementIn({ operation, outcome }: Intent, to: string, json: string): string | undefined {
  const facts: unknown = JSON.parse(json);
  if (typeof facts !== 'object' || facts === null || !('as' in facts) || !('evidence' in facts)) return undefined;
  const by = ['asked', 'by']
    .map((name) => Object.entries(facts).find(([key]) => key === name)?.[1])
    .filter((who) => typeof who === 'string');
  const word = settledWord({ operation, outcome, state: intentState(to) });
  return `settled manually as ${word}, recorded by ${by.join(' and ')}; evidence: ${String(facts.evidence)}`;
}

function headOf({ intent, waiting }: Omit<Shown, 'moves'>, report: Reporter): string {
  const { paint } = report;
  const { id, state, madeAt, reason } = intent;
  const order = [intent.orderId, intent.clientOrderId].filter((name) => name !== undefined).join(' / ');
  const what = [commandOf(intent), sumOf(intent)].filter((word) => word !== '').join(' ');
  return `${paint.bold(`entry ${id}`)}  ${what}: ${stateText(state, paint)}\n${report.columns([
    ['  order', printable(order)],
    ['  profile', printable(profileText(intent))],
    ['  made', report.moment(madeAt)],
    ...(reason === '' ? [] : [['  reason', printable(reason)]]),
    ...(waiting === undefined ? [] : [['  now', waitingText(waiting)]]),
  ])}`;
}

function intentState(word: string): keyof typeof states {
  return Object.keys(states).find((state): state is keyof typeof states => state === word) ?? 'planned';
}

/** One line of the chain for programs. */
export function moveDocument({ id, intentId, from, to, at, reason, facts, hash }: ChainLine): Record<string, unknown> {
  return {
    line: id,
    entry: intentId ?? null,
    from,
    to,
    at: new Date(at).toISOString(),
    reason,
    facts: JSON.parse(facts),
    hash,
  };
}
