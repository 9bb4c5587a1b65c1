import { audit } from '../sandbox/audit/report.js';
import type { RuleId } from '../sandbox/audit/rules.js';
import { orders, requireOrder, transactions } from '../sandbox/orders.js';
import type { TransactionKind } from '../spec/lifecycle.js';
import { decimalText } from '../wire/amount.js';
import type { DriverRun } from './driver.js';
import type { ScenarioGateway } from './gateway.js';
import type { DriverOrder } from './order.js';
import type { OutcomeWord, Scenario } from './scenario.js';

/** As they are shown. `not run`: the run was stopped before, or nobody started it. */
export const verdicts = ['failed', 'not judged', 'not run', 'passed'] as const;
export type Verdict = (typeof verdicts)[number];

/** What happened in one scenario, and the verdict on it. */
export interface Judgement {
  readonly scenario: Scenario;
  readonly verdict: Verdict;
  /** What COMMAND did wrong, in words; why it could not be judged, where it could not. */
  readonly reasons: readonly string[];
  readonly movements: readonly Movement[];
  /** The outcome of each run, and how it ended. */
  readonly runs: readonly DriverRun[];
  /** The last lines of standard error of each run, masked; empty where the scenario passed. */
  readonly errors: readonly string[];
  readonly ms: number;
}

/** All that the judge looks at. */
export interface Evidence {
  readonly scenario: Scenario;
  readonly gateway: ScenarioGateway;
  readonly orders: readonly DriverOrder[];
  readonly runs: readonly DriverRun[];
  /** Id of the newest transaction before COMMAND ran. */
  readonly before: number;
  readonly ms: number;
}

// They leave no trace in the balance of an account.
const movesNoMoney: ReadonlySet<TransactionKind> = new Set(['payout-check', 'account-verification', 'pan-eligibility']);

/**
 * Compares what COMMAND reported with what the ledger has. COMMAND is the client under test, as in `paycli certify --
 * COMMAND`.
 */
export function judge(evidence: Evidence): Judgement {
  const { scenario, gateway, runs, before, ms } = evidence;
  const movements = movementsSince(gateway, before);
  const ignored: readonly RuleId[] = [...judgedElsewhere, ...(scenario.expect.mayBreak ?? [])];
  const findings = audit(gateway.state.store).filter(({ rule }) => !ignored.includes(rule));
  const judged = {
    scenario,
    movements,
    runs,
    errors: runs.flatMap(({ errors }) => errors),
    ms,
  };
  const unjudged = whyNotJudged(runs);
  if (unjudged !== undefined) return { ...judged, verdict: 'not judged', reasons: [unjudged] };
  const reasons = [
    ...runs
      .filter(({ ended }) => ended === 'too late')
      .map(({ ms: late }) => `it did not end within ${Math.round(late / 1000)} s`),
    ...moneyReasons(evidence, movements),
    ...outcomeReasons(evidence, movements),
    ...wireReasons(evidence, movements),
    ...findings.map(({ rule, detail }) => `it broke audit rule ${rule}: ${detail}`),
  ];
  if (reasons.length > 0) return { ...judged, verdict: 'failed', reasons };
  if (gateway.seen.length === 0 && scenario.expect.checks?.includes('no-request') !== true)
    return { ...judged, verdict: 'not judged', reasons: ['no request reached the gateway'] };
  return { ...judged, verdict: 'passed', reasons, errors: [] };
}

/** The judgement on a scenario that was not run to its end. */
export function notRun(scenario: Scenario, reason: string): Judgement {
  return { movements: [], runs: [], errors: [], ms: 0, scenario, verdict: 'not run', reasons: [reason] };
}

type Movement = ReturnType<typeof movementsSince>[number];

/** The movements of money that COMMAND caused, as the ledger has them. */
function movementsSince({ state }: ScenarioGateway, after: number) {
  return transactions
    .all(state.store, 'WHERE id > ? ORDER BY id', after)
    .filter(({ kind }) => !movesNoMoney.has(kind))
    .map(({ kind, orderId, clientOrderId, amount, status }) => {
      const { currency, digits } = requireOrder(state.store, orderId);
      const money = amount === undefined ? undefined : decimalText(amount, digits);
      return { kind, orderId, clientOrderId, amount: money, currency, status };
    });
}

// Repeated ids and callbacks are judged by what they lead to; what was accepted is no fault.
const judgedElsewhere: readonly RuleId[] = [
  ...(['order-id-repeated', 'acted-before-status', 'accepted'] as const),
  ...(['callback-unanswered', 'callback-slow', 'callback-unverified'] as const),
];

function whyNotJudged(runs: readonly DriverRun[]): string | undefined {
  if (runs.some(({ outcome }) => outcome === 'unsupported')) return 'COMMAND does not support this operation';
  return runs.find(({ outcome, ended }) => outcome === undefined && ended === 'by itself')?.problem;
}

function moneyReasons({ scenario, orders }: Evidence, movements: readonly Movement[]): string[] {
  const done = movements.filter(({ status }) => status === 'approved');
  const { timesMoneyMoved } = scenario.expect;
  const max = Math.max(...timesMoneyMoved);
  if (done.length > Math.max(max, 1)) return [`money moved ${done.length} times for one order`];
  if (!timesMoneyMoved.includes(done.length))
    return [done.length === 0 ? 'no money moved, although it should have' : 'money moved, although it should not have'];
  const { amount: wanted, currency: wantedCurrency } = orders[0]?.fields ?? {};
  return done
    .filter(({ amount, currency }) => Number(amount) !== Number(wanted) || currency !== wantedCurrency)
    .flatMap(({ amount, currency }) =>
      wanted === undefined ? [] : [`${amount} ${currency} moved, but the order was for ${wanted} ${wantedCurrency}`],
    );
}

/** Compares the reported outcomes with those the scenario allows and with the ledger. */
function outcomeReasons({ scenario, runs }: Evidence, movements: readonly Movement[]): string[] {
  const { reports, firstReports } = scenario.expect;
  const kind = scenario.runs?.kind;
  const heard = runs.filter(({ ended }) => ended === 'by itself');
  const [first, last] = [heard[0], heard.at(-1)];
  const judged = kind === 'twice' && last !== undefined ? [last] : heard;
  const isDone = movements.some(({ status }) => status === 'approved');
  const id = judged.find(({ orderId }) => orderId !== undefined)?.orderId;
  const reasons = new Set(judged.flatMap((run) => wrongReport(run, isDone, kind === 'twice', reports)));
  if (kind === 'twice' && heard.length > 1 && first !== undefined && firstReports !== undefined)
    if (!firstReports.some((word) => word === first.outcome))
      reasons.add(`in its first run, it reported ${first.outcome}, ${shouldHave(firstReports)}`);
  if (kind === 'at-once' && !heard.some(({ outcome }) => outcome === 'paid'))
    reasons.add('neither run reported the order as paid');
  const isOurs = movements.some(({ orderId, clientOrderId }) => orderId === id || clientOrderId === id);
  if (id !== undefined && movements.length > 0 && !isOurs)
    reasons.add(`it reported order ${id}, but the money moved for another order`);
  return [...reasons];
}

function wrongReport(run: DriverRun, isDone: boolean, isTwice: boolean, outcomes: readonly OutcomeWord[]): string[] {
  const { outcome } = run;
  if (outcome === 'paid' && !isDone) return [`it reported ${outcome}, but no money moved`];
  if (outcome === 'declined' && isDone && !isTwice) return [`it reported ${outcome}, but money moved`];
  return outcomes.some((word) => word === outcome) ? [] : [`it reported ${outcome}, ${shouldHave(outcomes)}`];
}

function shouldHave(outcomes: readonly OutcomeWord[]): string {
  return `but it should have reported ${outcomes.join(' or ')}`;
}

/** 50 ms for clocks that tick apart. */
const retryAfterMs = 950;

function wireReasons({ scenario, gateway, orders: [order] }: Evidence, movements: readonly Movement[]): string[] {
  const { checks = [] } = scenario.expect;
  const { seen, state } = gateway;
  const [refused, again] = seen.filter(({ operation }) => operation === '/api/v2/sale');
  const waitedMs = refused === undefined || again === undefined ? retryAfterMs : again.at - refused.at;
  const booked = orders.get(state.store, 'ORDER BY made_at DESC, id DESC LIMIT 1')?.description;
  const found = {
    'no-request': seen.length > 0 && 'it sent its request to a gateway with the certificate of another host',
    'not-redirected':
      seen.some(({ url }) => new URL(url).hostname === 'localhost') &&
      'it followed the redirect with the whole payment',
    waited: waitedMs < retryAfterMs && 'it sent the payment again before Retry-After had passed',
    texts:
      movements.length > 0 &&
      booked !== order?.fields['order_desc'] &&
      'the text fields of the order did not arrive as given',
  };
  return checks.map((check) => found[check]).filter((reason) => reason !== false);
}
