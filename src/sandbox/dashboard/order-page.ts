import { html } from 'hono/html';
import { commandOf } from '../../spec/index.js';
import { transactionKinds } from '../../spec/lifecycle.js';
import { stageText, stepText } from '../../spec/transaction-words.js';
import { decodeForm } from '../../wire/form.js';
import { maskedEnding } from '../../wire/mask.js';
import { auditOrder } from '../audit/report.js';
import { callbackAttempts, callbacks } from '../callbacks/outbox.js';
import { cardById, type StoredCard } from '../cards.js';
import { events, type LoggedEvent } from '../log.js';
import { type Order, transactionsOf } from '../orders.js';
import type { Html } from '../pages/html.js';
import type { Store } from '../store.js';
import { type Cell, statusBadge, TextWithCode, table, timeOf } from './layout.js';
import { amountOfOrder, newestState } from './order-list.js';

const maxEvents = 500;

/** Everything the page of one order shows. */
function viewOrder(store: Store, order: Order) {
  const { id, login, clientOrderId, cardId, destinationId } = order;
  const newest = events.all(store, 'WHERE order_id = ? ORDER BY id DESC LIMIT ?', id, maxEvents + 1);
  return {
    order,
    transactions: transactionsOf(store, id),
    card: cardById(store, cardId),
    destination: cardById(store, destinationId),
    callbacks: callbacks
      .all(store, 'WHERE order_id = ? ORDER BY id', id)
      .map((callback) => ({ ...callback, answer: lastAnswer(store, callback.id) })),
    findings: auditOrder(store, { login, orderId: id, clientOrderId }),
    events: newest.slice(0, maxEvents).reverse(),
    isCut: newest.length > maxEvents,
  };
}

function lastAnswer(store: Store, callbackId: number): string | undefined {
  const attempt = callbackAttempts.get(store, 'WHERE callback_id = ? ORDER BY id DESC LIMIT 1', callbackId);
  const status = attempt?.status === undefined ? undefined : `HTTP ${attempt.status}`;
  const parts = [status, attempt?.reason].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

type OrderView = ReturnType<typeof viewOrder>;
type Pairs = readonly (readonly [name: string, value: Cell])[];

export function orderPage(store: Store, order: Order): Html {
  const view = viewOrder(store, order);
  const { transactions, callbacks, findings, events, isCut } = view;
  const more = `Only the newest events are shown; \`paycli sandbox log --order ${order.id}\` has more.`;
  const timeline = html`${isCut && html`<p class="hint">${TextWithCode({ text: more })}</p>`}
    <ol class="timeline">${withPollsCollapsed(events).map(eventItem)}</ol>`;
  return html`<p class="hint"><a href="/">All orders</a></p>
    <h1>Order ${order.id}</h1>
    <p>
      ${newestState(transactions, 'stage')}
      ${order.amount !== undefined && html`<strong class="sum">${amountOfOrder(order)}</strong>`}
    </p>
    ${section('facts', 'Facts', html`<dl class="facts">${definitions(factsOf(view))}</dl>`)}
    <p class="hint">
      <a href="#callbacks">Callbacks (${callbacks.length})</a> · <a href="#findings">Audit findings (${findings.length})</a>
    </p>
    ${section('transactions', 'Transactions', transactionTable(view))}
    ${section('timeline', 'Timeline', timeline)}
    ${section('callbacks', 'Callbacks', callbackTable(view))}
    ${section('findings', 'Audit findings', findingList(view))}`;
}

function section(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}

function definitions(rows: Pairs): readonly Html[] {
  return rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value === '' ? '(empty)' : value}</dd></div>`);
}

function factsOf({ order, card, destination }: OrderView): Pairs {
  const facts: Pairs = [
    ['Client order id', order.clientOrderId],
    ['Merchant', order.login],
    ['Operation', commandOf(order.operation) ?? order.operation],
    ['Created', timeOf(order.madeAt)],
    ['Endpoint', order.endpointId],
    ['Description', order.description],
    ['Card', cardText(card)],
    ['Receiving card', cardText(destination)],
    ['Redirect URL', order.redirectUrl],
    ['Callback address', order.callbackUrl],
    ['Notification address', order.notifyUrl],
  ];
  return facts.filter(([, value]) => value !== undefined);
}

function cardText(card: StoredCard | undefined): string | undefined {
  if (card === undefined) return undefined;
  const expiry = card.month === undefined ? '' : `, ${card.month.padStart(2, '0')}/${card.year ?? ''}`;
  return `${card.brand} ${maskedEnding(card.lastFour)}${expiry}`;
}

function transactionTable({ order, transactions }: OrderView): Html {
  return table({
    caption: 'Transactions of this order, oldest first',
    isCaptionHidden: true,
    columns: ['Operation', 'Amount', 'Status', 'Created', 'Finished'],
    rows: transactions.map(({ kind, amount, status, step, madeAt, doneAt }) => [
      transactionKinds[kind].name,
      amount === undefined ? '–' : amountOfOrder(order, amount),
      html`${statusBadge(status)}${status === 'processing' && html`<span class="under">${stepText(step)}</span>`}`,
      timeOf(madeAt),
      doneAt === undefined ? '–' : timeOf(doneAt),
    ]),
  });
}

function callbackTable({ callbacks }: OrderView): Html {
  if (callbacks.length === 0) return html`<p class="hint">No callbacks were sent for this order.</p>`;
  return table({
    caption: 'Callbacks about this order, oldest first',
    isCaptionHidden: true,
    columns: ['Status', 'Address', 'Delivery', 'Attempts', 'Last result'],
    rows: callbacks.map(({ status, url, state, attempts, answer }) => [
      ...[statusBadge(status), url, state.replaceAll('-', ' '), String(attempts), answer ?? '–'],
    ]),
  });
}

function findingList({ findings }: OrderView): Html {
  if (findings.length === 0) return html`<p class="hint">No audit findings for this order.</p>`;
  const items = findings.map(({ title, detail, count, fix }) => {
    const often = count === 1 ? '' : ` (${count} times)`;
    return html`<li><strong>${title}</strong>: ${detail}${often}. Fix: ${TextWithCode({ text: fix })}</li>`;
  });
  return html`<ul>${items}</ul>`;
}

/** Status requests with nothing in between are one line, which stands for the last and says how many they were. */
function withPollsCollapsed(events: readonly LoggedEvent[]) {
  const isPoll = ({ kind, detail }: LoggedEvent) => kind === 'request' && detail['operation'] === 'STATUS';
  const lines: { readonly event: LoggedEvent; readonly polls: number }[] = [];
  for (const event of events) {
    const last = lines.at(-1);
    const isAgain = last !== undefined && isPoll(event) && isPoll(last.event);
    if (isAgain) lines.pop();
    lines.push({ event, polls: isAgain ? last.polls + 1 : 1 });
  }
  return lines;
}

const hiddenFacts = new Set(['status', 'signature', 'ms', 'operation', 'endpoint', 'reason', 'client', 'reply']);

function eventItem({ event, polls }: ReturnType<typeof withPollsCollapsed>[number]): Html {
  const { id, at, kind, title, detail, fields } = event;
  const { status = '', signature, ms, reply = '' } = detail;
  // A callback that was never answered has an empty status.
  const shown = [status === '' ? undefined : `HTTP ${status}`, signature, ms === undefined ? undefined : `${ms} ms`];
  const facts = shown.filter((fact) => fact !== undefined).join(' · ');
  const rest: Pairs = [
    ...Object.entries(detail).filter(([key]) => !hiddenFacts.has(key)),
    ...fields.filter(([name]) => detail[name] === undefined),
  ];
  const words = (kind === 'stage' ? stageText(title) : undefined) ?? title;
  return html`<li class="event of-${kind}">
    <p class="hint">${timeOf(at)} <span class="kind">${kind}</span></p>
    <p class="title">${words}${polls > 1 && ` (polled ${polls} times)`}</p>
    ${facts !== '' && html`<p class="hint">${facts}</p>`}
    ${details(`event-${id}`, fields.length > 0 ? 'Fields' : 'Details', rest)}
    ${details(`reply-${id}`, 'Reply', decodeForm(reply))}
  </li>`;
}

function details(id: string, what: string, rows: Pairs): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<details id="${id}">
    <summary>${what} (${rows.length})</summary>
    <dl class="pairs">${definitions(rows)}</dl>
  </details>`;
}
