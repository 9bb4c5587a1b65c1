import { fail } from '../../errors/index.js';
import { assumeDefaults, type TestCard } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import { advance } from '../clock.js';
import {
  changeStep,
  isHosted,
  type Order,
  orderByAnyId,
  type Transaction,
  transactionsOf,
  waitsForPayer,
} from '../orders.js';
import { defaultSettleMs, outcomeOf } from '../outcomes.js';
import type { SandboxSettings } from '../request.js';
import type { Store } from '../store.js';
import { completeAuthentication } from '../threeds.js';
import { visitOf, visits } from '../visits.js';
import { methodFrame, submitChallenge } from './acs.js';
import { returnToShop, submitForm } from './form.js';
import { completeMethodStep, isGatewayLed, openSession, type PageSession, recordPageEvent } from './page-session.js';

/** What a payer types into a form, and does at the page of the bank. */
export interface Payer {
  readonly card: TestCard;
  readonly does: 'confirm' | 'fail' | 'cancel';
}

const command = 'sandbox pay';
/** Those of a sandbox that nobody started with others. */
export const usual: SandboxSettings = {
  ...{ assume: assumeDefaults, settleMs: defaultSettleMs, lateMs: 0, pagesBase: undefined, client: 'paycli' },
  ...{ anyCard: false, isCompatible: false },
};

/**
 * Takes the payer of an order through every page that is open, and does what the merchant's server does meanwhile. The
 * order is named by either id, or by the address of a page. Throws USAGE where no page waits for its payer.
 */
export function payOrder(store: Store, named: string, payer: Payer, settleMs = defaultSettleMs): Order {
  const settings = { ...usual, settleMs };
  return store.database.transaction(() => {
    advance(store);
    const order = findOrder(store, named);
    let session = sessionOf(store, order, settings);
    if (session === undefined || !waitsForPayer(session.opening)) throw nothingOpen(store, order);
    recordPageEvent(session, 'payer sent through the pages by `paycli sandbox pay`');
    // A form is sent three times at most, and each may lead to the bank.
    for (let step = 0; step < 20 && session !== undefined && waitsForPayer(session.opening); step += 1) {
      takeStep(session, payer);
      session = sessionOf(store, order, settings);
    }
    advance(store);
    return order;
  });
}

/** The transaction that opened an order, as it is by now, and what the payer's browser posts to the shop at its end. */
export function openingOf(
  store: Store,
  order: Order,
): { readonly opening: Transaction; readonly back?: { readonly to: string; readonly fields: readonly Pair[] } } {
  return store.database.transaction(() => {
    advance(store);
    const session = sessionOf(store, order);
    if (session === undefined) throw nothingOpen(store, order);
    const isBack = isHosted(order) && session.opening.status !== 'processing';
    const back = isBack ? returnToShop(session) : undefined;
    return { opening: session.opening, ...(back === undefined ? {} : { back }) };
  });
}

function sessionOf(store: Store, order: Order, settings = usual): PageSession | undefined {
  return openSession(store, settings, visitOf(store, order)?.token ?? '');
}

function findOrder(store: Store, named: string): Order {
  const token = /\/pages\/(?:form|3ds|go)\/(\w{1,64})/.exec(named)?.[1];
  const visit = token === undefined ? undefined : visits.get(store, 'WHERE token = ? OR once = ?', token, token);
  const order = orderByAnyId(store, visit?.orderId ?? named);
  if (order !== undefined) return order;
  const why = named.includes('://')
    ? 'the link is unknown or expired: no order of this sandbox has it'
    : 'this sandbox has no such order';
  throw fail('USAGE', { why: `${why}; \`paycli sandbox log\` shows its orders`, command });
}

function nothingOpen(store: Store, { id }: Order): Error {
  const [opening] = transactionsOf(store, id);
  const { status = 'processing', outcome = '' } = opening ?? {};
  const reason = status === 'declined' ? `: ${outcomeOf(outcome).message}` : '';
  const why = `no page waits for the payer of order ${id}, which is ${status}${reason}`;
  return fail('USAGE', { why, order: id, status, command });
}

function takeStep(session: PageSession, { card, does }: Payer): void {
  const { opening, store, order } = session;
  if (opening.step === 'form') {
    submitForm(session, does === 'cancel' ? [['action', 'cancel']] : typedInto(card, session.now));
    return;
  }
  if (opening.step === 'method' || opening.step === 'frictionless') {
    methodFrame(session, undefined);
    const loaded = sessionOf(store, order, session.settings) ?? session;
    if (isGatewayLed(loaded)) completeMethodStep(loaded);
    else if (opening.step === 'method') changeStep(store, opening, { step: 'challenge' });
    else completeAuthentication(session, 'AUTHENTICATED');
    return;
  }
  submitChallenge(session, [['action', does]]);
  const transStatus = visitOf(store, order)?.transStatus;
  if (transStatus !== undefined && !isGatewayLed(session))
    completeAuthentication(session, transStatus === 'N' ? 'NOT_AUTHENTICATED' : 'AUTHENTICATED');
}

function typedInto({ number, cvv }: TestCard, now: number): readonly Pair[] {
  const expiry = `12/${new Date(now).getUTCFullYear() + 4}`;
  return Object.entries({ action: 'pay', number, destination: number, holder: 'TEST CARD', expiry, code: cvv });
}
