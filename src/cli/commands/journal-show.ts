import { fail } from '../../errors/index.js';
import { type Intent, type Journal, type Move, states } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { printable } from '../../wire/redact.js';
import { openUserJournal } from '../journal.js';
import type { CommonOptions } from '../options.js';
import { columns } from '../present/columns.js';
import { intentDocument, intentLine } from '../present/intents.js';
import { Reporter } from '../reporter.js';

/** Every entry of an order with all its moves. */
export async function runJournalShow(order: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const journal = await openUserJournal(runtime);
  try {
    const intents = find(journal, order);
    if (intents.length === 0) throw fail('USAGE', { why: `the journal has no entry or order ${order}`, command: 'journal show' });
    const shown = intents.map((intent) => ({ intent, moves: journal.moves(intent.id) }));
    if (report.json)
      report.document({
        schema: 'paycli.journal/1',
        entries: shown.map(({ intent, moves }) => ({ ...intentDocument(intent), moves: moves.map(moveDocument) })),
      });
    else for (const each of shown) report.out(textOf(each.intent, each.moves, report));
    return 0;
  } finally {
    journal.close();
  }
}

function find(journal: Journal, order: string): Intent[] {
  const found = journal.list({ order });
  const entry = found.length === 0 && /^\d{1,15}$/.test(order) ? journal.get(Number(order)) : undefined;
  return entry === undefined ? found : [entry];
}

function textOf(intent: Intent, moves: readonly Move[], { paint }: Reporter): string {
  const lines = moves.map(({ at, from, to, reason }) => [
    `  ${new Date(at).toISOString()}`,
    from === to ? '' : to,
    from === to
      ? printable(reason)
      : [states[intentState(to)], reason === '' ? undefined : printable(reason)].filter((word) => word !== undefined).join('; '),
  ]);
  const outcome = Object.entries(intent.outcome).map(([name, value]) => [`  ${paint.name(printable(name))}`, printable(value)]);
  return (
    intentLine(intent, paint) +
    columns(lines) +
    (outcome.length === 0 ? '' : `${paint.dim('  the reply, as far as it is kept:')}\n${columns(outcome)}`)
  );
}

function intentState(word: string): keyof typeof states {
  return Object.keys(states).find((state): state is keyof typeof states => state === word) ?? 'planned';
}

/** One line of the chain for programs. */
export function moveDocument({ id, intentId, from, to, at, reason, facts, hash }: Move): Record<string, unknown> {
  return { line: id, entry: intentId ?? null, from, to, at: new Date(at).toISOString(), reason, facts: JSON.parse(facts), hash };
}
