import type { BatchEvent, PlanHead } from '../../batch/plan.js';
import { type Standing, standings } from '../../batch/standing.js';
import { states } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { headDocument, headLines, moneyDocument, totalsText, withPlan } from '../batch-plans.js';
import type { CommonOptions } from '../options.js';
import { exits } from '../outcome.js';
import { columns } from '../present/columns.js';
import { stateText } from '../present/intents.js';
import { oneLine } from '../present/table.js';
import { Reporter } from '../reporter.js';

/** One plan with where its rows stand by the journal, and what happened to it. */
export async function runBatchShow(name: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  return withPlan(name, 'batch show', runtime, async (store, journal) => {
    const { head } = store;
    const found = standings(store, journal);
    const events = store.events();
    await report.show({
      document: {
        schema: 'paycli.batch/1',
        ...headDocument(head),
        states: found.map(({ state, count, totals }) => ({ state, count, totals: totals.map(moneyDocument) })),
        events: events.map(({ at, what, facts }) => ({ at: new Date(at).toISOString(), what, facts })),
      },
      text: () => textOf(head, found, events, report),
    });
    return exits.ok;
  });
}

function textOf(head: PlanHead, found: readonly Standing[], events: readonly BatchEvent[], report: Reporter): string {
  const { paint } = report;
  const rows = found.map(({ state, count, totals }) => [
    `  ${stateText(state, paint)}`,
    String(count),
    totalsText(totals),
    paint.dim(states[state]),
  ]);
  const happened = events.map(({ at, what, facts }) => [`  ${report.time(at)}`, oneLine(what), oneLine(factsText(facts))]);
  return (
    `${paint.bold(head.id)}\n${columns(headLines(head, report).map(([name, text]) => [`  ${paint.name(name)}`, oneLine(text)]))}` +
    `rows by the journal:\n${columns(rows)}` +
    (happened.length === 0 ? '' : `what happened:\n${columns(happened)}`)
  );
}

/** Plain facts in one line; longer ones are for programs. */
function factsText(facts: BatchEvent['facts']): string {
  return Object.entries(facts)
    .flatMap(([name, value]) =>
      ['string', 'number'].includes(typeof value) && String(value).length <= 40 ? [`${name} ${String(value)}`] : [],
    )
    .join(', ');
}
