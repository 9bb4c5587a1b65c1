import type { FaultName } from '../../sandbox/faults.js';
import { defineScenarios, type Scenario, type ScenarioRow, sale } from '../scenario.js';

const queryStatus = 'query the status by the client order id, and report it';

/**
 * The gateway charges a second sale with the same client order id too. Gateways need not refuse it, so a client that
 * sends again must be seen to charge twice; by default the sandbox would refuse the second one.
 */
const chargesDuplicates = { 'duplicate-order-id': 'pay' } as const;

/** A fault after the payment was recorded: it will be approved, and only the status can tell. */
function afterRecording(title: string, fault: FaultName): ScenarioRow {
  return { title, should: queryStatus, setUp: { fault, assume: chargesDuplicates } };
}

/** The same fault before anything was recorded: the client cannot tell, and may send it again if no order is found. */
function beforeRecording(title: string, fault: FaultName): ScenarioRow {
  return {
    title,
    should: 'query the status; if the order is not found, report it as unknown or refused, or send it once more',
    setUp: { fault, assume: chargesDuplicates },
    expect: { timesMoneyMoved: [0, 1], reports: ['paid', 'declined', 'unknown', 'refused', 'pending'] },
  };
}

/**
 * Scenarios of `paycli certify` in which the network or the gateway fails, the client is killed, or it is given the
 * same order twice. `fault` is what happens to the reply to the first payment request.
 */
export const outageScenarios: readonly Scenario[] = defineScenarios('outage', {
  'reply-lost': afterRecording('the connection closes without a reply; the payment was recorded', 'no-answer-done'),
  'request-lost': beforeRecording('the connection closes without a reply; nothing was recorded', 'no-answer'),
  'error-500-recorded': afterRecording('HTTP 500, although the payment was recorded', 'server-error-done'),
  'error-500': beforeRecording('HTTP 500, and nothing was recorded', 'server-error'),
  'hang-recorded': afterRecording(
    'no reply arrives and the connection stays open; the payment was recorded',
    'hang-done',
  ),
  hang: beforeRecording('no reply arrives and the connection stays open; nothing was recorded', 'hang'),
  'half-reply': afterRecording('the reply is cut off in the middle of its JSON', 'half-reply-done'),
  'error-page-recorded': afterRecording(
    'a proxy answers 502 with an HTML page; the payment was recorded',
    'error-page-done',
  ),
  'error-page': beforeRecording('a proxy answers 502 with an HTML page; nothing was recorded', 'error-page'),
  'late-reply': afterRecording('the reply arrives long after the client stopped waiting', 'late-reply-done'),
  redirect: {
    title: 'the reply is a redirect to another host name',
    should: 'never follow a redirect in reply to a payment; report it as unknown or refused',
    setUp: { fault: 'redirect', assume: chargesDuplicates },
    expect: {
      timesMoneyMoved: [0, 1],
      reports: ['paid', 'unknown', 'refused', 'declined', 'pending'],
      checks: ['not-redirected'],
    },
  },
  'connection-refused': {
    title: 'nothing listens at the address for a second',
    should: 'report it as refused, since nothing was sent, or connect again until the payment is sent once',
    setUp: { awayMs: 1000, assume: chargesDuplicates },
    expect: { timesMoneyMoved: [0, 1], reports: ['paid', 'refused'] },
  },
  'away-while-waiting': {
    title: 'the gateway is unreachable for a second while the client polls the status',
    should: 'keep polling, and report the status',
    setUp: {
      settleMs: 500,
      moment: { afterRequestMs: 250, act: 'away', ms: 1000 },
      assume: chargesDuplicates,
    },
  },
  'too-many-requests': {
    title: 'HTTP 429 with Retry-After: 1',
    should: 'wait that long before sending the payment again, or report it as refused or unknown',
    setUp: { fault: 'too-many-requests', assume: chargesDuplicates },
    expect: { timesMoneyMoved: [0, 1], reports: ['paid', 'refused', 'unknown', 'pending'], checks: ['waited'] },
  },
  'killed-before-reply': {
    title: 'the client is killed between its request and the reply, and restarted with the same order',
    should: 'find what it recorded before sending, and query the status instead of sending again',
    setUp: { fault: 'hang-done', assume: chargesDuplicates },
    runs: { kind: 'killed', afterMs: 250 },
  },
  'killed-while-waiting': {
    title: 'the client is killed while the payment is processing, and restarted with the same order',
    should: 'keep polling the status of the payment it has made',
    setUp: { settleMs: 3000, assume: chargesDuplicates },
    runs: { kind: 'killed', afterMs: 700 },
  },
  'killed-anywhere': {
    title: 'the client is killed at a random moment, and restarted with the same order',
    should: 'pay once, or report the outcome as unknown',
    setUp: { assume: chargesDuplicates },
    runs: { kind: 'killed-anywhere', withinMs: 800 },
    expect: { timesMoneyMoved: [0, 1], reports: ['paid', 'unknown', 'pending', 'refused'] },
  },
  'twice-at-once': {
    title: 'the same order is given to the client twice at the same time',
    should: 'pay once, whichever run is first',
    setUp: { settleMs: 1200 },
    runs: { kind: 'at-once' },
    expect: { timesMoneyMoved: [1], reports: ['paid', 'unknown', 'pending', 'refused'] },
  },
  'same-order-again': {
    title: 'the same order is given to the client again after it was paid',
    should: 'report it as paid, or refuse it, but never pay a second time',
    runs: { kind: 'twice', second: sale() },
    expect: { timesMoneyMoved: [1], firstReports: ['paid'], reports: ['paid', 'refused'] },
  },
  'same-order-other-amount': {
    title: 'the same order is given again with a different amount',
    should: 'refuse it: one order has one amount',
    runs: { kind: 'twice', second: { operation: 'sale', amount: '104.20' } },
    expect: { timesMoneyMoved: [1], firstReports: ['paid'], reports: ['refused', 'declined'] },
  },
  'other-host-certificate': {
    title: 'the gateway presents the certificate of another host',
    should: 'send nothing, and report it as refused',
    setUp: { isOtherHost: true },
    expect: { timesMoneyMoved: [0], reports: ['refused', 'unknown'], checks: ['no-request'] },
  },
});
