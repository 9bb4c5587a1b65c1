import { html } from 'hono/html';
import { controlChecksum, controlEncoding } from '../../signing/index.js';
import { isSuccess, returnFields, sale, statuses, testCards, threeDSecureFlows } from '../../spec/index.js';
import { type TransactionKind, transactionKinds } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import { checkValue } from '../../wire/check.js';
import type { Pair } from '../../wire/form.js';
import { maskStart } from '../../wire/mask.js';
import { hasExpired } from '../../wire/time.js';
import { cardById, isTestNumber, storeCard } from '../cards.js';
import { merchantOf } from '../merchants.js';
import { orders } from '../orders.js';
import {
  nextQueuedOutcome,
  outcomeOf,
  outcomes,
  removeQueuedOutcome,
  type Scenario,
  scenarioFor,
  scenarioNamed,
} from '../outcomes.js';
import { writeFields } from '../replies.js';
import type { SandboxReply } from '../request.js';
import { maxCardAttempts } from '../visits.js';
import {
  amountText,
  type Html,
  hiddenInputs,
  hostedPage,
  htmlReply,
  pagesPath,
  seeOther,
  sendForm,
  summary,
} from './html.js';
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
  if (step === 'form') return htmlReply(formPage(session));
  if (step === 'method' || step === 'frictionless')
    return completeMethodStep(session)
      ? showForm(openSession(session.store, session.settings, visit.token) ?? session)
      : waitPage(session, true);
  return step === 'none' ? waitPage(session, false) : seeOther(`${pagesPath}/3ds/${visit.token}`);
}

function waitPage(session: PageSession, frame: boolean): SandboxReply {
  return htmlReply(waiting(session, frame), { refresh: 1, frames: frame });
}

/** Takes what the customer sent. Whatever comes too late changes nothing and shows how the order stands. */
export function submitForm(session: PageSession, pairs: readonly Pair[]): SandboxReply {
  const { visit, opening } = session;
  const sent = Object.fromEntries(pairs);
  const back = seeOther(`${pagesPath}/form/${visit.token}`);
  if (opening.step !== 'form' || opening.status !== 'processing') return back;
  if (sent['action'] === 'cancel') {
    cancelPayment(session);
    return back;
  }
  const typed = readInputs(sent, session);
  if (typed.errors.size > 0) {
    recordPageEvent(session, 'form sent back to the payer', Object.fromEntries(typed.errors));
    return htmlReply(formPage(session, typed), { status: 422 });
  }
  if (opening.kind === 'payout') submitDestination(session, typed.values);
  else submitCard(session, typed.values);
  return back;
}

function submitCard(session: PageSession, { number = '', holder, code, expiry = '' }: Typed['values']): void {
  const { store, order } = session;
  orders.update(store, order.id, { cardId: storeCard(store, { number, holder, ...readExpiry(expiry) }).id });
  recordPageEvent(session, 'payer submitted a card', { card: maskStart(number) });
  const facts = { cardNumber: number, cvv: code, amount: order.amount, digits: order.digits };
  applyScenario(session, queuedScenario(session) ?? scenarioFor(facts));
}

/** A39: where a payout goes is a card, or an account, phone or wallet, of which nothing is kept. */
function submitDestination(session: PageSession, { destination = '' }: Typed['values']): void {
  const { store, order } = session;
  const number = cardNumberIn(destination);
  if (number !== undefined) orders.update(store, order.id, { destinationId: storeCard(store, { number }).id });
  recordPageEvent(session, 'payer submitted a payout destination', { destination: maskStart(destination) });
  applyScenario(session, queuedScenario(session) ?? scenarioFor({ amount: order.amount }));
}

/** The outcome that was queued for this order. */
function queuedScenario({ store, order, opening }: PageSession): Scenario | undefined {
  const { login, clientOrderId, id: orderId } = order;
  const flows = opening.kind === 'payout' ? [] : Object.keys(threeDSecureFlows);
  const allowed = [...Object.keys(outcomes), ...flows];
  const queued = nextQueuedOutcome(store, { login, clientOrderId, orderId }, () => allowed);
  if (queued === undefined) return undefined;
  removeQueuedOutcome(store, queued);
  return scenarioNamed(queued.outcome);
}

/** One thing a customer types. `name` is also the id of the control. */
interface Input {
  readonly name: 'number' | 'holder' | 'expiry' | 'code' | 'destination';
  readonly label: string;
  readonly max: number;
  readonly autocomplete: 'off' | 'cc-number' | 'cc-name' | 'cc-exp' | 'cc-csc';
  /** What is said of a text that is missing or wrong. */
  readonly wrong: string;
  /** It may stand in the page again after a mistake. */
  readonly isShownAgain?: true;
}

const cardInputs: readonly Input[] = [
  {
    ...{ name: 'number', label: 'Card number', max: 23, autocomplete: 'cc-number' },
    wrong: 'Enter the card number; a digit is wrong or missing',
  },
  {
    ...{ name: 'holder', label: 'Name on the card', max: 128, autocomplete: 'cc-name', isShownAgain: true },
    wrong: 'Enter the name on the card',
  },
  {
    ...{ name: 'expiry', label: 'Expires (MM/YY)', max: 7, autocomplete: 'cc-exp' },
    wrong: 'Enter month and year, such as 04/31',
  },
  {
    ...{ name: 'code', label: 'Security code', max: 4, autocomplete: 'cc-csc' },
    wrong: 'Enter the security code, 3 or 4 digits',
  },
];
const payoutInputs: readonly Input[] = [
  {
    ...{ name: 'destination', label: 'Card number, bank account, phone or wallet', max: 128, autocomplete: 'off' },
    wrong: 'Enter where the money goes',
  },
];

function inputsOf({ opening }: PageSession): readonly Input[] {
  return opening.kind === 'payout' ? payoutInputs : cardInputs;
}

/** What was typed, by the name of the control, and what is wrong with it. */
interface Typed {
  readonly values: Readonly<Partial<Record<Input['name'], string>>>;
  readonly errors: ReadonlyMap<string, string>;
}

/** Reads the controls of a form. Nothing but the named ones is looked at. */
function readInputs(sent: Readonly<Record<string, string>>, session: PageSession): Typed {
  const values: Partial<Record<Input['name'], string>> = {};
  const errors = new Map<string, string>();
  for (const input of inputsOf(session)) {
    const text = (sent[input.name] ?? '').trim();
    const value = input.name === 'number' ? text.replace(/[\s-]/g, '') : text;
    const error = inputFault(input, value, session);
    if (error !== undefined) errors.set(input.name, error);
    values[input.name] = value;
  }
  return { values, errors };
}

function inputFault({ name, wrong }: Input, value: string, { settings, now }: PageSession): string | undefined {
  if (name === 'expiry') {
    const read = readExpiry(value);
    return read === undefined ? wrong : hasExpired(read, now) ? 'The card has expired' : undefined;
  }
  const fields = { number: sale.fields.cardNumber, holder: sale.fields.cardHolder, code: sale.fields.cvv } as const;
  const isWrong = name === 'destination' ? value.length > 128 : checkValue(fields[name], value) !== undefined;
  if (value === '' || isWrong) return wrong;
  const number = name === 'number' || name === 'destination' ? cardNumberIn(value) : undefined;
  if (number === undefined || settings.anyCard || isTestNumber(number)) return undefined;
  return 'This is not a published test number, and the sandbox accepts no others';
}

function cardNumberIn(text: string): string | undefined {
  const digits = text.replace(/[\s-]/g, '');
  return checkValue(sale.fields.cardNumber, digits) === undefined ? digits : undefined;
}

/** Month and year out of 4/31, 04/31, 0431 or 04/2031; undefined for anything else. */
function readExpiry(text: string): { readonly month: string; readonly year: string } | undefined {
  const [, month = '', year = ''] = /^(0?[1-9]|1[0-2])\s*[/ -]?\s*(\d{2}|20\d\d)$/.exec(text) ?? [];
  return month === '' ? undefined : { month: String(Number(month)), year: year.length === 2 ? `20${year}` : year };
}

const wordings: Partial<Readonly<Record<TransactionKind, readonly [title: string, button: string]>>> = {
  preauth: ['Hold an amount on your card', 'Hold'],
  'account-verification': ['Check your card', 'Check the card'],
  payout: ['Receive money', 'Receive'],
};

/** How a page of this kind of order is called, and its button. */
function wordingOf(kind: TransactionKind): readonly [title: string, button: string] {
  return wordings[kind] ?? ['Pay by card', 'Pay'];
}

/** The page a customer fills in. */
function formPage(session: PageSession, typed?: Typed): Html {
  const { order, opening, visit } = session;
  const [title, button] = wordingOf(opening.kind);
  return hostedPage(
    { title: `${typed === undefined ? '' : 'Error: '}${title} - ${order.login}` },
    html`${summary(session, title)}${declinedNotice(session)}
      <form method="post" novalidate>
        ${hiddenInputs([['csrf', visit.csrf]])}${inputsOf(session).map((input) => control(input, typed))}
        <button type="submit" name="action" value="pay">${button} ${amountText(order)}</button>
        <button type="submit" name="action" value="cancel" class="quiet">Cancel</button>
      </form>
      ${opening.kind !== 'payout' && testCardList}`,
  );
}

/** What became of the card before this one. */
function declinedNotice({ visit: { lastOutcome, attempts } }: PageSession): Html | undefined {
  if (lastOutcome === undefined) return undefined;
  return html`<div class="notice bad" role="alert">
    <p><strong>The card was declined.</strong> ${outcomeOf(lastOutcome).message}.</p>
    <p>Attempts left: ${maxCardAttempts - attempts}, with this or another card.</p>
  </div>`;
}

function control({ name, label, max, autocomplete, isShownAgain }: Input, typed: Typed | undefined): Html {
  const error = typed?.errors.get(name);
  const isFirst = error !== undefined && [...(typed?.errors.keys() ?? [])][0] === name;
  const again = isShownAgain ? typed?.values[name] : undefined;
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input type="text" id="${name}" name="${name}" autocomplete="${autocomplete}" maxlength="${max}" required
      aria-describedby="${name}-error"${error !== undefined && html` aria-invalid="true"`}${isFirst && ' autofocus'}
      ${again !== undefined && html`value="${again}"`} />
    <p class="error" id="${name}-error">${error}</p>
  </div>`;
}

const testCardList = html`<details>
  <summary>Test cards</summary>
  <ul>
    ${testCards.map(
      ({ number, cvv, about }) =>
        html`<li><code>${number}</code> with security code <code>${cvv}</code>: ${about}</li>`,
    )}
  </ul>
</details>`;

/** Shown while the gateway works. With `frame` the issuer's method frame runs in it. */
function waiting(session: PageSession, frame: boolean): Html {
  const { order, opening, visit } = session;
  return hostedPage(
    { title: `One moment - ${order.login}` },
    html`${summary(session, wordingOf(opening.kind)[0])}
      <p role="status">${frame ? 'Contacting your bank.' : 'Processing.'} This page continues automatically.</p>
      <p><a href="${pagesPath}/form/${visit.token}">Check again now</a></p>
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
      ? html`<p class="hint">You can close this page.</p>`
      : sendForm({ ...back, label: `Back to ${order.login}`, after: 1500 });
  return hostedPage(
    { title: `${done} - ${order.login}`, isSending: true },
    html`${summary(session, wordingOf(opening.kind)[0])}
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
