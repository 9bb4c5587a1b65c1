import { html } from 'hono/html';
import { controlChecksum, controlEncoding } from '../../signing/index.js';
import { isSuccess, returnFields, statuses, threeDSecureFlows } from '../../spec/index.js';
import { transactionKinds } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import type { Pair } from '../../wire/form.js';
import { maskStart } from '../../wire/mask.js';
import { cardById, storeCard } from '../cards.js';
import { merchantOf } from '../merchants.js';
import { orders } from '../orders.js';
import {
  nextQueuedOutcome,
  outcomeFromHolderName,
  outcomeOf,
  outcomes,
  removeQueuedOutcome,
  type Scenario,
  scenarioFor,
  scenarioNamed,
} from '../outcomes.js';
import { writeFields } from '../replies.js';
import type { SandboxReply } from '../request.js';
import { formPage, wordingOf } from './form-page.js';
import { amountText, type Html, hostedPage, htmlReply, pagesPath, seeOther, sendForm, summary } from './html.js';
import { cardInputs, type Destination, destinations, readExpiry, readInputs, type SubmittedInputs } from './inputs.js';
import {
  applyScenario,
  cancelPayment,
  completeMethodStep,
  openSession,
  type PageSession,
  recordPageEvent,
} from './page-session.js';

/** The page of an order as it stands: the form, the wait, the way to the bank, or the end. */
export function showForm(session: PageSession): SandboxReply {
  const { opening, visit } = session;
  const { status, step } = opening;
  if (status !== 'processing') {
    const isOver = statuses[status].final || status === 'unknown';
    if (!isOver) return waitPage(session, false);
    recordPageEvent(session, `payer saw the outcome: ${status}`);
    return htmlReply(finishPage(session), { formsTo: [returnToShop(session)?.to] });
  }
  if (step === 'form') return blankForm(session);
  if (step === 'method' || step === 'frictionless')
    return completeMethodStep(session)
      ? showForm(openSession(session.store, session.settings, visit.token) ?? session)
      : waitPage(session, true);
  return step === 'none' ? waitPage(session, false) : seeOther(`${pagesPath}/3ds/${visit.token}`);
}

function waitPage(session: PageSession, frame: boolean): SandboxReply {
  return htmlReply(waiting(session, frame), { refresh: 1, frames: frame });
}

function blankForm(session: PageSession): SandboxReply {
  const chosen = session.opening.kind === 'payout' ? destinations[0] : undefined;
  return htmlReply(formPage(session, { inputs: cardInputs, chosen }));
}

/** Takes what the customer sent. Whatever comes too late changes nothing and shows how the order stands. */
export function submitForm(session: PageSession, pairs: readonly Pair[]): SandboxReply {
  const { visit, opening, settings, now } = session;
  const sent = (wanted: string) => pairs.find(([name]) => name === wanted)?.[1];
  const back = seeOther(`${pagesPath}/form/${visit.token}`);
  if (opening.step !== 'form' || opening.status !== 'processing') return back;
  if (sent('action') === 'cancel') {
    cancelPayment(session);
    return back;
  }
  const chosen =
    opening.kind === 'payout' ? (destinations.find(({ name }) => name === sent('to')) ?? destinations[0]) : undefined;
  const inputs = chosen?.inputs ?? cardInputs;
  const typed = readInputs(pairs, inputs, { anyCard: settings.anyCard, now });
  if (typed.errors.size > 0) {
    recordPageEvent(session, 'form sent back to the payer', Object.fromEntries(typed.errors));
    return htmlReply(formPage(session, { inputs, chosen, typed }), { status: 422 });
  }
  if (chosen === undefined) submitCard(session, typed);
  else submitDestination(session, chosen, typed);
  return back;
}

function submitCard(session: PageSession, { values }: SubmittedInputs): void {
  const { store, order } = session;
  const { number = '', holder, code, expiry = '' } = values;
  orders.update(store, order.id, { cardId: storeCard(store, { number, holder, ...readExpiry(expiry) }).id });
  recordPageEvent(session, 'payer submitted a card', { card: maskStart(number) });
  const facts = { cardNumber: number, cvv: code, amount: order.amount, digits: order.digits };
  applyScenario(session, requestedScenario(session, holder) ?? scenarioFor(facts));
}

function submitDestination(session: PageSession, { name, label }: Destination, { values }: SubmittedInputs): void {
  const { store, order } = session;
  const { number, holder } = values;
  const account = number ?? values['account'] ?? values['phone'] ?? values['wallet'] ?? '';
  if (name === 'card' && number !== undefined)
    orders.update(store, order.id, { destinationId: storeCard(store, { number, holder }).id });
  recordPageEvent(session, `payer chose the payout destination: ${label.toLowerCase()}`, {
    destination: maskStart(account),
  });
  applyScenario(session, requestedScenario(session, holder) ?? scenarioFor({ amount: order.amount }));
}

/** The outcome asked for this order: queued beforehand, or by the name on the card. */
function requestedScenario({ store, order, opening }: PageSession, holder: string | undefined): Scenario | undefined {
  const { login, clientOrderId, id: orderId } = order;
  const allowed =
    opening.kind === 'payout' ? Object.keys(outcomes) : [...Object.keys(outcomes), ...Object.keys(threeDSecureFlows)];
  const queued = nextQueuedOutcome(store, { login, clientOrderId, orderId }, () => allowed);
  if (queued !== undefined) removeQueuedOutcome(store, queued);
  const name = queued?.outcome ?? outcomeFromHolderName(holder);
  return name !== undefined && allowed.includes(name) ? scenarioNamed(name) : undefined;
}

/** Shown while the gateway works. With `frame` the issuer's method frame runs in it. */
function waiting(session: PageSession, frame: boolean): Html {
  const { order, opening, visit } = session;
  return hostedPage(
    { title: `One moment - ${order.login}` },
    html`${summary(session, wordingOf(opening.kind).title)}
      <div class="centre">
        <div class="spinner" aria-hidden="true"></div>
        <p role="status">${frame ? 'Contacting your bank.' : 'Processing.'} This page continues automatically.</p>
        <p><a href="${pagesPath}/form/${visit.token}">Check again now</a></p>
      </div>
      ${frame && html`<iframe src="${pagesPath}/3ds/${visit.token}/method" title="Your bank" hidden></iframe>`}`,
  );
}

/** What became of it, and the way back to the merchant. */
function finishPage(session: PageSession): Html {
  const { order, opening } = session;
  const { success } = statuses[opening.status];
  const isUnknown = opening.status === 'unknown';
  const [done, tone] = success ? ['Done', 'good'] : isUnknown ? ['Outcome unknown', 'wait'] : ['Not completed', 'bad'];
  const back = returnToShop(session);
  const way =
    back === undefined
      ? html`<p class="address">You can close this page.</p>`
      : sendForm({ ...back, label: `Back to ${order.login}`, after: 1500 });
  return hostedPage(
    { title: `${done} - ${order.login}`, isSending: true },
    html`${summary(session, wordingOf(opening.kind).title)}
      <div class="notice ${tone}" role="status">
        <p><strong>${done}.</strong> ${outcomeText(session)}</p>
      </div>
      ${way}`,
  );
}

const successes: Partial<Readonly<Record<string, string>>> = {
  sale: 'was paid',
  preauth: 'is held on the card',
  payout: 'is on its way to you',
};

function outcomeText({ order, opening }: PageSession): string {
  if (opening.status === 'unknown') return 'The bank did not answer. The merchant will tell you the outcome.';
  if (opening.status !== 'approved') return `${outcomeOf(opening.outcome).message ?? 'It was declined'}.`;
  const amount = amountText(order);
  const words = successes[opening.kind];
  return amount === undefined || words === undefined ? 'The card is valid.' : `${amount} ${words}.`;
}

/** Where a form sends the customer's browser in the end, and what it posts; undefined when the merchant named no place. */
export function returnToShop(
  session: PageSession,
): { readonly to: string; readonly fields: readonly Pair[] } | undefined {
  const { order, visit, opening } = session;
  const to = (isSuccess(opening.status) ? visit.successUrl : visit.failUrl) ?? order.redirectUrl;
  return to === undefined ? undefined : { to, fields: postedFields(session) };
}

/**
 * A26: what the browser posts there. Not the truth about the order: whoever it is sent by could have made it up but for
 * the control.
 */
function postedFields({ store, settings, order, opening }: PageSession): readonly Pair[] {
  const { status, outcome, kind, amount, doneAt } = opening;
  const card = cardById(store, order.cardId ?? order.destinationId);
  const { message, code } = isSuccess(status) ? {} : outcomeOf(outcome);
  const key = merchantOf(store, order.endpointId)?.controlKey ?? '';
  return writeFields(returnFields, {
    status,
    orderId: order.id,
    merchantOrder: order.clientOrderId,
    clientOrderId: order.clientOrderId,
    transactionType: transactionKinds[kind].type,
    amount: amount === undefined ? undefined : decimalText(amount, order.digits),
    errorCode: code,
    errorMessage: message,
    bin: card?.bin,
    lastFour: card?.lastFour,
    cardType: card?.brand,
    cardHolder: card?.holder,
    processorId: doneAt === undefined ? undefined : opening.processorId,
    merchantData: order.merchantData,
    control: controlChecksum([status, order.id, order.clientOrderId], key, {
      encoding: controlEncoding(settings.assume),
    }),
  });
}
