import { type Fault, invalidFileError } from '../../../batch/input/source.js';
import {
  type ExactMoney,
  readStatement,
  type StatementField,
  statementFields,
} from '../../../batch/input/statement.js';
import { rowsText } from '../../../batch/plan.js';
import { type Disagreement, matchKinds, Reconciler, type Reconciliation } from '../../../batch/reconcile.js';
import { exits } from '../../../errors/index.js';
import { moneyDocument, sumText } from '../../../payments/words.js';
import { fromUnits, isCurrency } from '../../../wire/amount.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import { defineCommand, parsed, word } from '../../command.js';
import { readTimes } from '../../core/options.js';
import { warnIfRestored } from '../../core/order-requests.js';
import type { Reporter } from '../../core/reporter.js';
import { journalOf, withJournal } from '../../core/user-stores.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { commandOf } from '../../format/meaning.js';
import { withSession } from '../../session.js';
import { wrongValue } from '../../usage.js';
import { delimiterFlag, mapColumns, mapFlag, openInput } from './input.js';

const maxFaults = 100;

export const batchReconcile = defineCommand({
  summary: 'Reconcile a statement',
  help: `Reconcile a statement of the gateway or the bank with the journal, both ways

The statement is CSV with a header. It needs the order ids, amounts and currencies; use --map to say which column holds the order-id, client-order-id, amount, currency or status if its name does not. Other columns are ignored, and so is the sign of an amount. Journal entries missing from the statement are looked for only between --since and --until. Nothing is changed.

Exit codes: 0 all agree; 11 they do not; 2 the statement cannot be read.`,
  args: { statement: { text: 'CSV' } },
  flags: {
    map: mapFlag,
    delimiter: delimiterFlag,
    currency: parsed('<code>', 'currency of every line, if no column gives it', (text) => {
      if (!isCurrency(text)) throw wrongValue('use an ISO 4217 code, such as EUR');
      return text;
    }),
    since: word('<time>', 'start of the statement: 2030-01-31, 2030-01-31T12:00:00Z, or time ago: 7d, 12h, 30m'),
    until: word('<time>', 'end of the statement, exclusive'),
    ...connectionFlags,
    ...outputFlags,
  },
  examples: [
    'batch reconcile statement.csv --since 7d',
    'batch reconcile statement.csv --map "Merchant reference=client-order-id" --map Total=amount --currency EUR',
  ],
  effect: 'local',
  result: ['reconciliation'],
  async run({ args: { statement: file }, flags, runtime }) {
    const { delimiter = ',', currency } = flags;
    const source = { delimiter, currency, map: mapColumns(flags.map ?? {}, fieldNamed, statementFields) };
    const { path } = openInput(file, runtime);
    const { from, until } = readTimes(flags, runtime.clock.now());
    return withSession(flags, runtime, (session, report) =>
      withJournal(runtime, journalOf(session), async (journal) => {
        warnIfRestored(journal, report);
        const reconciler = new Reconciler({ journal, base: session.gatewayBase });
        const wrong: Fault[] = [];
        for await (const { lines, faults } of readStatement(runtime.files.pieces(path), source)) {
          wrong.push(...faults);
          await reconciler.add(lines);
        }
        if (wrong.length > 0) throw invalidFileError(oneLine(file), wrong.length, wrong.slice(0, maxFaults));
        const found = await reconciler.finish({ from, until });
        await show(file, found, report);
        const [first] = found.disagreements;
        if (first === undefined) return exits.ok;
        report.becauseOfCheck(
          first.line === undefined ? first.why : `line ${first.line.line}: ${first.why}`,
          'check each disagreement in the result; `paycli order ID --timeline` shows what is known here about an order',
        );
        return exits.checkFailed;
      }),
    );
  },
});

function fieldNamed(name: string): StatementField | undefined {
  if (name === 'type') return 'status';
  return statementFields.find((each) => each === name || each.replaceAll('-', '_') === name);
}

async function show(file: string, { lines, totals, disagreements }: Reconciliation, report: Reporter): Promise<void> {
  const agrees = disagreements.length === 0;
  await report.show({
    document: {
      ...{ schema: 'paycli.reconciliation/1', file, lines, agrees },
      totals: totals.map(({ is, side, count, ...money }) => ({ is, side, count, ...exactDocument(money) })),
      disagreements: disagreements.map(documentOf),
    },
    // As text, the totals are shown even where everything agrees.
    ...(agrees && report.form === 'text' ? {} : { list: 'disagreements' }),
    text: () => {
      const { paint } = report;
      const differences = `${disagreements.length} ${disagreements.length === 1 ? 'difference' : 'differences'}`;
      const verdict = agrees
        ? `${paint.good('✓')} statement and journal agree on ${rowsText(lines)}`
        : `${paint.bad('✗')} ${differences} between the journal and the statement of ${rowsText(lines)}`;
      const sums = totals.map(({ is, side, count, ...money }) => [
        ...[`  ${matchKinds[is]}`, `per the ${side}`, String(count), exactText(money)],
      ]);
      return `${verdict}\n${report.columns(sums)}${disagreements.map(lineAbout).join('')}`;
    },
  });
}

/** Such as `line 3, order p-12, done payout send: the amounts differ (20.01 EUR stated, 20.00 EUR in the journal)`. */
function lineAbout(each: Disagreement): string {
  const { line, request, journalMoney, why } = each;
  const { orderId, clientOrderId } = readIds(each);
  const place = line === undefined ? [] : [`line ${line.line}`];
  const known = request === undefined ? [] : [`${request.state} ${commandOf(request)}`];
  const stated = line === undefined ? [] : [`${exactText(line.money)} stated`];
  const recorded = journalMoney === undefined ? [] : [`${exactText(journalMoney)} in the journal`];
  const about = [...place, `order ${oneLine(clientOrderId ?? orderId ?? '')}`, ...known].join(', ');
  return `  ${about}: ${why} (${[...stated, ...recorded].join(', ')})\n`;
}

/**
 * A statement may hold anything in that column; an id the journal does not know, and that could be a card's number, is
 * masked.
 */
function readIds({ line, request }: Disagreement) {
  const id = (key: 'orderId' | 'clientOrderId') => {
    const stated = line?.[key] ?? request?.[key] ?? null;
    return stated === null || request !== undefined ? stated : withoutCardNumbers(stated);
  };
  return { orderId: id('orderId'), clientOrderId: id('clientOrderId') };
}

function documentOf(each: Disagreement): Record<string, unknown> {
  const { is, line, request, journalMoney, why } = each;
  const known = request && { entry: request.id, operation: request.operation, state: request.state };
  const stated = line && { line: line.line, amount: exactDocument(line.money), status: line.status ?? null };
  const amount = journalMoney === undefined ? null : exactDocument(journalMoney);
  return { is, why, order: readIds(each), statement: stated ?? null, journal: known ? { ...known, amount } : null };
}

function exactText({ units, currency }: ExactMoney): string {
  return sumText(fromUnits(units, currency));
}

function exactDocument({ units, currency }: ExactMoney) {
  return moneyDocument(fromUnits(units, currency));
}
