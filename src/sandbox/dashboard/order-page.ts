import { html } from 'hono/html';
import { commandOf } from '../../spec/index.js';
import { transactionKinds } from '../../spec/lifecycle.js';
import { stageText, stepText } from '../../spec/transaction-words.js';
import { decodeForm } from '../../wire/form.js';
import { maskedEnding } from '../../wire/mask.js';
import { audit } from '../audit/report.js';
import { callbackAttempts, callbacks } from '../callbacks/outbox.js';
import { cardById, type StoredCard } from '../cards.js';
import { type LoggedEvent, readEvents } from '../log.js';
import { type Order, transactionsOf } from '../orders.js';
import { amountText, type Facts, factList, type Html } from '../pages/html.js';
import type { Store } from '../store.js';
import { newestState, statusBadge, table, timeOf } from './order-list.js';

const maxEvents = 500;

/** Everything about one order. */
export function orderPage(store: Store, order: Order): Html {
  const { id, login, clientOrderId } = order;
  const transactions = transactionsOf(store, id);
  const findings = audit(store, { login, orderId: id, clientOrderId });
  const events = readEvents(store, { order: id, limit: maxEvents });
  return html`<p><a href="/">All orders</a></p>
    <h1>Order ${id}</h1>
    <p>${newestState(transactions)} <strong>${amountText(order)}</strong></p>
    ${factList(factsOf(store, order))}
    <h2>Transactions</h2>
    ${table({
      caption: 'Transactions of this order, oldest first',
      columns: ['Operation', 'Amount', 'Status', 'Created', 'Finished'],
      rows: transactions.map(({ kind, amount, status, step, madeAt, doneAt }) => [
        transactionKinds[kind].name,
        amountText({ ...order, amount }) ?? '–',
        html`${statusBadge(status)}${status === 'processing' && html`<span class="under">${stepText(step)}</span>`}`,
        timeOf(madeAt),
        doneAt === undefined ? '–' : timeOf(doneAt),
      ]),
    })}
    <h2>Timeline</h2>
    <p class="hint">The newest ${maxEvents} events; <code>paycli sandbox log --order ${id}</code> shows all.</p>
    <ol class="timeline">${events.map(eventItem)}</ol>
    <h2>Callbacks</h2>
    ${callbackTable(store, id)}
    <h2>Audit findings</h2>
    <ul>${findings.map(({ title, detail, count, fix }) => html`<li><strong>${title}</strong>: ${detail} (times: ${count}). Fix: ${fix}</li>`)}</ul>`;
}

function factsOf(store: Store, order: Order): Facts {
  return [
    ['Client order id', order.clientOrderId],
    ['Merchant', order.login],
    ['Operation', commandOf(order.operation) ?? order.operation],
    ['Created', timeOf(order.madeAt)],
    ['Endpoint', order.endpointId],
    ['Description', order.description],
    ['Card', cardText(cardById(store, order.cardId))],
    ['Receiving card', cardText(cardById(store, order.destinationId))],
    ['Redirect URL', order.redirectUrl],
    ['Callback address', order.callbackUrl],
    ['Notification address', order.notifyUrl],
  ];
}

function cardText(card: StoredCard | undefined): string | undefined {
  if (card === undefined) return undefined;
  const expiry = card.month === undefined ? '' : `, ${card.month.padStart(2, '0')}/${card.year ?? ''}`;
  return `${card.brand} ${maskedEnding(card.lastFour)}${expiry}`;
}

function callbackTable(store: Store, orderId: string): Html {
  const sent = callbacks.all(store, 'WHERE order_id = ? ORDER BY id', orderId);
  return table({
    caption: 'Callbacks about this order, oldest first',
    columns: ['Status', 'Address', 'Delivery', 'Attempts', 'Last result'],
    rows: sent.map(({ id, status, url, state, attempts }) => [
      ...[statusBadge(status), url, state, String(attempts), lastAnswer(store, id)],
    ]),
  });
}

function lastAnswer(store: Store, callbackId: number): string {
  const attempt = callbackAttempts.get(store, 'WHERE callback_id = ? ORDER BY id DESC LIMIT 1', callbackId);
  const status = attempt?.status === undefined ? undefined : `HTTP ${attempt.status}`;
  return [status, attempt?.reason].filter((part) => part !== undefined).join(', ');
}

function eventItem({ at, kind, title, detail, fields }: LoggedEvent): Html {
  const { reply = '', ...facts } = detail;
  const words = (kind === 'stage' ? stageText(title) : undefined) ?? title;
  return html`<li>
    <p class="hint">${timeOf(at)} ${kind}</p>
    <p>${words}</p>
    ${details('Details', Object.entries(facts))}${details('Fields', fields)}${details('Reply', decodeForm(reply))}
  </li>`;
}

function details(what: string, rows: Facts): Html | undefined {
  return rows.length === 0 ? undefined : html`<details><summary>${what}</summary>${factList(rows)}</details>`;
}
