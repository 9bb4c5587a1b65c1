import { statuses, threeDSecureFlows } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import { keepCard } from '../cards.js';
import { noteCard } from '../ledger/visits.js';
import { type Course, courseNamed, courseOf, outcomeInName, outcomes } from '../outcomes.js';
import { dropQueued, queuedFor } from '../queue.js';
import type { SandboxReply } from '../request.js';
import { returnAddress } from './browser-return.js';
import { FormPage } from './form-page.js';
import { cardInputs, type Destination, destinationNamed, destinations, type Input } from './inputs.js';
import { cancel, follow, note, passMethod, refreshed, type Stay } from './progress.js';
import { readExpiry, readInputs, type Typed } from './read-inputs.js';
import { htmlReply, pagesPath, seeOther } from './reply.js';
import { FinishPage, WaitPage } from './waiting-pages.js';

/** The page of an order as it stands: the form, the wait, the way to the bank, or the end. */
export function showForm(stay: Stay): SandboxReply {
  const { opening, visit } = stay;
  const { status, step } = opening;
  if (status !== 'processing') {
    const isOver = statuses[status].final || status === 'unknown';
    if (!isOver) return htmlReply(<WaitPage stay={stay} frame={false} />, { refresh: 1 });
    note(stay, `customer saw the outcome: ${status}`);
    return htmlReply(<FinishPage stay={stay} />, { formsTo: [returnAddress(stay)] });
  }
  if (step === 'form') return blankForm(stay);
  if (step === 'method' || step === 'frictionless') return passMethod(stay) ? showForm(refreshed(stay)) : waiting(stay, true);
  return step === 'none' ? waiting(stay, false) : seeOther(`${pagesPath}/3ds/${visit.token}`);
}

function waiting(stay: Stay, frame: boolean): SandboxReply {
  return htmlReply(<WaitPage stay={stay} frame={frame} />, { refresh: 1, ...(frame ? { frames: true as const } : {}) });
}

function blankForm(stay: Stay): SandboxReply {
  const isPayout = stay.opening.kind === 'payout';
  return htmlReply(<FormPage stay={stay} inputs={cardInputs} chosen={isPayout ? destinations[0] : undefined} />);
}

/** Takes what the customer sent. Whatever comes too late changes nothing and shows how the order stands. */
export function takeForm(stay: Stay, pairs: readonly Pair[]): SandboxReply {
  const back = seeOther(`${pagesPath}/form/${stay.visit.token}`);
  if (stay.opening.step !== 'form' || stay.opening.status !== 'processing') return back;
  if (sentAs(pairs, 'action') === 'cancel') {
    cancel(stay);
    return back;
  }
  const chosen = stay.opening.kind === 'payout' ? (destinationNamed(sentAs(pairs, 'to')) ?? destinations[0]) : undefined;
  const inputs = chosen?.inputs ?? cardInputs;
  const typed = readInputs(pairs, inputs, { anyCard: stay.terms.anyCard, now: stay.now });
  if (typed.errors.size > 0) return corrected(stay, inputs, chosen, typed);
  if (chosen === undefined) takeCard(stay, typed);
  else takeDestination(stay, chosen, typed);
  return back;
}

function sentAs(pairs: readonly Pair[], wanted: string): string | undefined {
  return pairs.find(([name]) => name === wanted)?.[1];
}

function corrected(stay: Stay, inputs: readonly Input[], chosen: Destination | undefined, typed: Typed): SandboxReply {
  note(stay, 'form sent back to the customer', Object.fromEntries(typed.errors));
  return htmlReply(<FormPage stay={stay} inputs={inputs} chosen={chosen} typed={typed} />, { status: 422 });
}

function takeCard(stay: Stay, { values }: Typed): void {
  const { store, order } = stay;
  const { number = '', holder, code, expiry = '' } = values;
  noteCard(store, order, 'card_id', keepCard(store, { number, holder, ...readExpiry(expiry) }).id);
  note(stay, 'customer sent a card', { card: masked(number) });
  const facts = { cardNumber: number, cvv: code, amount: order.amount, digits: order.digits };
  follow(stay, told(stay, holder) ?? courseOf(facts));
}

function takeDestination(stay: Stay, { name, label }: Destination, { values }: Typed): void {
  const { store, order } = stay;
  const { number, holder } = values;
  const account = number ?? values['account'] ?? values['phone'] ?? values['wallet'] ?? '';
  if (name === 'card' && number !== undefined) noteCard(store, order, 'destination_id', keepCard(store, { number, holder }).id);
  note(stay, `customer chose where the money goes: ${label.toLowerCase()}`, { destination: masked(account) });
  follow(stay, told(stay, holder) ?? courseOf({ amount: order.amount }));
}

/** What this order was told to come to: queued beforehand, or asked for by the name on the card. */
function told({ store, order, opening }: Stay, holder: string | undefined): Course | undefined {
  const { login, clientOrderId, id: orderId } = order;
  const allowed = opening.kind === 'payout' ? Object.keys(outcomes) : [...Object.keys(outcomes), ...Object.keys(threeDSecureFlows)];
  const queued = queuedFor(store, { login, clientOrderId, orderId, allowed: () => allowed });
  if (queued !== undefined) dropQueued(store, queued);
  const name = queued?.name ?? outcomeInName(holder ?? '');
  return name !== undefined && allowed.includes(name) ? courseNamed(name) : undefined;
}

function masked(text: string): string {
  return text.length < 8 ? '…' : `…${text.slice(-4)}`;
}
