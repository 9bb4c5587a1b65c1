import type { Fault } from '../../../batch/input/source.js';
import { type ExactMoney, readStatement } from '../../../batch/input/statement.js';
import { moneyDocument, moneyText, rowsText } from '../../../batch/plan.js';
import {
  type Disagreement,
  matchKinds,
  Reconciler,
  type Reconciliation,
  type SideTotal,
} from '../../../batch/reconcile.js';
import { pathFrom } from '../../../config/file-access.js';
import { exits } from '../../../errors/index.js';
import { fromUnits } from '../../../journal/caps.js';
import type { Runtime } from '../../../runtime/ports.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { readFilter } from '../../core/journal-filter.js';
import { connectionFlags } from '../../core/options.js';
import { warnIfRestored } from '../../core/order-requests.js';
import type { Reporter } from '../../core/reporter.js';
import { journalOf, withJournal } from '../../core/user-stores.js';
import type { Sheet } from '../../format/document.js';
import { oneLine } from '../../format/document.js';
import { commandOf } from '../../format/meaning.js';
import { withSession } from '../../open-session.js';
import { invalidFileError, readingInput, readStatementFlags, type StatementFlags, sizeOf } from './input-file.js';

const command = 'batch reconcile';
const maxFaults = 100;

export const batchReconcile = defineCommand<CommonOptions & StatementFlags>({
  name: 'batch reconcile',
  summary: 'Reconcile a statement',
  help: `Reconcile a statement of the gateway or the bank with the journal, both ways

The statement is CSV with a header. It needs the order ids, amounts and currencies; use --map to say which column holds the order-id, client-order-id, amount, currency or status if its name does not. Other columns are ignored, and so is the sign of an amount. Journal entries missing from the statement are looked for only between --since and --until. Nothing is changed.

Exit codes: 0 all agree; 11 they do not; 2 the statement cannot be read.`,
  args: [['<statement>', 'CSV']],
  options: [
    ['--map <column=field>', 'content of a column; repeatable', { repeated: true }],
    ['--delimiter <character>', "separator of the cells: , (default), ';' or tab"],
    ['--currency <code>', 'currency of every line, if no column gives it'],
    ['--since <time>', 'start of the statement: 2030-01-31, 2030-01-31T12:00:00Z, or time ago: 7d, 12h, 30m'],
    ['--until <time>', 'end of the statement, exclusive'],
    ...connectionFlags,
  ],
  examples: [
    'batch reconcile statement.csv --since 7d',
    'batch reconcile statement.csv --map "Merchant reference=client-order-id" --map Total=amount --currency EUR',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'checkFailed'],
  prints: ['reconciliation'],
  run: ({ args: [statement = ''], options, runtime }) => runBatchReconcile(statement, options, runtime),
});

/** Reconciles a statement with the journal both ways; nothing is changed. */
async function runBatchReconcile(
  file: string,
  options: CommonOptions & StatementFlags,
  runtime: Runtime,
): Promise<number> {
  const source = readStatementFlags(options);
  const period = readFilter(options, command, runtime.clock.now());
  const { files } = runtime;
  const path = pathFrom(file, files.folders.working, files.folders.home);
  return withSession(options, runtime, async (session, report) => {
    return withJournal(runtime, journalOf(session), async (journal) => {
      warnIfRestored(journal, report);
      const reconciler = new Reconciler({ journal, base: session.gatewayBase });
      await readingInput(file, command, async () => {
        sizeOf(path, files);
        const wrong: Fault[] = [];
        for await (const { lines, faults } of readStatement(files.pieces(path), source)) {
          wrong.push(...faults);
          await reconciler.add(lines);
        }
        if (wrong.length > 0) throw invalidFileError(file, wrong.length, wrong.slice(0, maxFaults));
      });
      const found = await reconciler.finish({ from: period.from, until: period.until });
      await show(file, found, report);
      const [first] = found.disagreements;
      if (first === undefined) return exits.ok;
      report.becauseOfCheck(
        first.line === undefined ? first.why : `line ${first.line.line}: ${first.why}`,
        'check each disagreement in the result; `paycli order ID --timeline` shows what is known here about an order',
      );
      return exits.checkFailed;
    });
  });
}

async function show(file: string, found: Reconciliation, report: Reporter): Promise<void> {
  const { lines, totals, disagreements } = found;
  const agrees = disagreements.length === 0;
  await report.show({
    document: {
      schema: 'paycli.reconciliation/1',
      ...{ file, lines, agrees },
      totals: totals.map((total) => ({ is: total.is, side: total.side, count: total.count, ...exactDocument(total) })),
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
      const list = agrees ? '' : report.sheet(sheetOf(disagreements));
      return `${verdict}\n${report.columns(totals.map(totalLine))}${list}`;
    },
    sheet: () => sheetOf(disagreements),
  });
}

function totalLine(total: SideTotal): readonly string[] {
  return [`  ${matchKinds[total.is]}`, `per the ${total.side}`, String(total.count), exactText(total)];
}

function sheetOf(disagreements: readonly Disagreement[]): Sheet {
  return {
    columns: [
      { head: 'line', right: true },
      { head: 'order' },
      { head: 'your id', below: true },
      { head: 'statement', right: true },
      { head: 'journal', right: true },
      { head: 'operation' },
      { head: 'state' },
      { head: 'reason', below: true },
    ],
    rows: disagreements.map(({ line, request, journalMoney, why }) => [
      line === undefined ? '' : String(line.line),
      oneLine(idOf('orderId', line, request) ?? ''),
      oneLine(idOf('clientOrderId', line, request) ?? ''),
      line === undefined ? '' : exactText(line.money),
      journalMoney === undefined ? '' : exactText(journalMoney),
      request === undefined ? '' : commandOf(request),
      request?.state ?? '',
      why,
    ]),
  };
}

/**
 * A statement may hold anything in that column; an id the journal does not know, and that could be a card's number, is
 * masked.
 */
function idOf(
  key: 'orderId' | 'clientOrderId',
  line: Disagreement['line'],
  request: Disagreement['request'],
): string | undefined {
  const stated = line?.[key];
  if (stated === undefined || request !== undefined) return stated ?? request?.[key];
  return withoutCardNumbers(stated);
}

function documentOf({ is, line, request, journalMoney, why }: Disagreement): Record<string, unknown> {
  return {
    is,
    why,
    order: {
      orderId: idOf('orderId', line, request) ?? null,
      clientOrderId: idOf('clientOrderId', line, request) ?? null,
    },
    statement:
      line === undefined ? null : { line: line.line, amount: exactDocument(line.money), status: line.status ?? null },
    journal:
      request === undefined
        ? null
        : {
            ...{ entry: request.id, operation: request.operation, state: request.state },
            amount: journalMoney === undefined ? null : exactDocument(journalMoney),
          },
  };
}

function exactText({ units, currency }: ExactMoney): string {
  return moneyText(fromUnits(units, currency));
}

function exactDocument({ units, currency }: ExactMoney) {
  return moneyDocument(fromUnits(units, currency));
}
