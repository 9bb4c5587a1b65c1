import { commandOf } from '../../../spec/index.js';
import { stageText, statusText } from '../../../spec/transaction-words.js';
import { decodeForm } from '../../../wire/form.js';
import type { Finding } from '../../audit/report.js';
import type { LoggedEvent } from '../../ledger/events.js';
import { Cell, NameCell, Paging, Pairs, Row, Status, Table, TextWithCode, Time } from './layout.js';
import {
  type CallbackLine,
  type OrderFilter,
  type OrderLine,
  type OrderList,
  type OrderView,
  statusWords,
  type TransactionLine,
} from './orders.js';

const firstCommand = 'paycli sale --profile sandbox --amount 10.42 --currency USD --test-card approved --wait';

export function OrdersPage({ list, filter }: { readonly list: OrderList; readonly filter: OrderFilter }) {
  return (
    <>
      <h1>Orders</h1>
      {list.isEmpty ? <NoOrdersYet /> : <Filters list={list} filter={filter} />}
      {list.isEmpty ? null : list.lines.length === 0 ? <NoOrderMatches /> : <Orders list={list} filter={filter} />}
    </>
  );
}

function NoOrdersYet() {
  return (
    <section class="empty" aria-labelledby="empty-title">
      <h2 id="empty-title">No orders yet</h2>
      <p>Create the first one in a terminal; it appears here automatically:</p>
      <pre>
        <code>{firstCommand}</code>
      </pre>
      <p>
        Or send a request from your own code; <code>paycli sandbox status</code> shows the endpoints and keys.
      </p>
    </section>
  );
}

function NoOrderMatches() {
  return (
    <section class="empty" aria-labelledby="empty-title">
      <h2 id="empty-title">No matching orders</h2>
      <p>
        No order matches these filters. <a href="/">Show all orders</a>
      </p>
    </section>
  );
}

function Filters({ list, filter }: { readonly list: OrderList; readonly filter: OrderFilter }) {
  return (
    <search>
      <form class="filters" method="get" action="/">
        <p class="field wide">
          <label for="q">Order id</label>
          <input
            id="q"
            name="q"
            type="search"
            value={filter.search}
            placeholder="yours or the gateway's"
            autocomplete="off"
          />
        </p>
        <FilterSelect id="status" label="Status" chosen={filter.status} words={statusWords} nameOf={statusText} />
        <FilterSelect
          id="operation"
          label="Operation"
          chosen={filter.operation}
          words={list.operations}
          nameOf={(word) => commandOf(word) ?? word}
        />
        <FilterSelect id="merchant" label="Merchant" chosen={filter.merchant} words={list.merchants} nameOf={String} />
        <p class="field buttons">
          <button type="submit">Filter</button>
          <a href="/">Clear</a>
        </p>
      </form>
    </search>
  );
}

interface FilterSelectProps {
  readonly id: string;
  readonly label: string;
  readonly chosen: string;
  readonly words: readonly string[];
  readonly nameOf: (word: string) => string;
}

function FilterSelect({ id, label, chosen, words, nameOf }: FilterSelectProps) {
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <select id={id} name={id}>
        <option value="">all</option>
        {words.map((word) => (
          <option value={word} selected={word === chosen}>
            {nameOf(word)}
          </option>
        ))}
      </select>
    </p>
  );
}

const orderColumns = ['Order', 'Operation', 'Merchant', 'Amount', 'Status', 'Time'];

function Orders({ list, filter }: { readonly list: OrderList; readonly filter: OrderFilter }) {
  const count = list.total === 1 ? '1 order' : `${list.total} orders`;
  const where = list.pages === 1 ? '' : `, page ${filter.page} of ${list.pages}`;
  return (
    <>
      <Table caption={`${count}, newest first${where}`} columns={orderColumns}>
        {list.lines.map((line) => (
          <OrderRow line={line} />
        ))}
      </Table>
      <Paging page={filter.page} pages={list.pages} addressOf={(to) => pageAddress(filter, to)} />
    </>
  );
}

function OrderRow({ line }: { readonly line: OrderLine }) {
  return (
    <Row>
      <NameCell label="Order">
        <a href={`/orders/${line.id}`}>{line.id}</a>
        <span class="under">{line.clientOrderId}</span>
      </NameCell>
      <Cell label="Operation">{line.operation}</Cell>
      <Cell label="Merchant">{line.login}</Cell>
      <Cell label="Amount">{line.amount === undefined ? '–' : `${line.amount} ${line.currency ?? ''}`}</Cell>
      <Cell label="Status">
        <Status word={line.status} />
        <span class="under">{line.words}</span>
      </Cell>
      <Cell label="Time">
        <Time at={line.madeAt} />
      </Cell>
    </Row>
  );
}

function pageAddress({ status, operation, merchant, search }: OrderFilter, page: number): string {
  const given = Object.entries({ q: search, status, operation, merchant, page: String(page) }).filter(
    ([, value]) => value !== '',
  );
  return `/?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

export function OrderPage({ order }: { readonly order: OrderView }) {
  const { id, clientOrderId, login, operation, amount, currency, status, words, madeAt } = order;
  return (
    <>
      <p class="back">
        <a href="/">All orders</a>
      </p>
      <h1>Order {id}</h1>
      <p class="lead">
        <Status word={status} /> <span class="stage">{words}</span>
        {amount === undefined ? null : <strong class="sum">{`${amount} ${currency ?? ''}`}</strong>}
      </p>
      <section aria-labelledby="facts-title">
        <h2 id="facts-title">Facts</h2>
        <dl class="facts">
          <Fact name="Client order id" value={clientOrderId} />
          <Fact name="Merchant" value={login} />
          <Fact name="Operation" value={operation} />
          <div>
            <dt>Created</dt>
            <dd>
              <Time at={madeAt} />
            </dd>
          </div>
          {order.facts.map(([name, value]) => (
            <Fact name={name} value={value} />
          ))}
        </dl>
      </section>
      <p class="hint">
        <a href="#callbacks">Callbacks ({order.callbacks.length})</a> ·{' '}
        <a href="#findings">Audit findings ({order.findings.length})</a>
      </p>
      <section aria-labelledby="transactions-title">
        <h2 id="transactions-title">Transactions</h2>
        <Transactions lines={order.transactions} currency={currency} />
      </section>
      <section aria-labelledby="timeline-title">
        <h2 id="timeline-title">Timeline</h2>
        {order.isCut ? (
          <p class="hint">
            <TextWithCode text={`Only the newest events are shown; \`paycli sandbox log --order ${id}\` has more.`} />
          </p>
        ) : null}
        {order.events.length === 0 ? <p class="hint">The log has no more events of this order.</p> : null}
        <ol class="timeline">
          {withPollsCollapsed(order.events).map(({ event, polls }) => (
            <Event event={event} polls={polls} />
          ))}
        </ol>
      </section>
      <section aria-labelledby="callbacks">
        <h2 id="callbacks">Callbacks</h2>
        <Callbacks lines={order.callbacks} />
      </section>
      <section aria-labelledby="findings">
        <h2 id="findings">Audit findings</h2>
        <Findings findings={order.findings} />
      </section>
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const transactionColumns = ['Operation', 'Amount', 'Status', 'Created', 'Finished'];

function Transactions({
  lines,
  currency,
}: {
  readonly lines: readonly TransactionLine[];
  readonly currency: string | undefined;
}) {
  return (
    <Table caption="Transactions of this order, oldest first" isCaptionHidden columns={transactionColumns}>
      {lines.map(({ operation, amount, status, waitsFor, madeAt, doneAt }) => (
        <Row>
          <NameCell label="Operation">{operation}</NameCell>
          <Cell label="Amount">{amount === undefined ? '–' : `${amount} ${currency ?? ''}`}</Cell>
          <Cell label="Status">
            <Status word={status} />
            {waitsFor === undefined ? null : <span class="under">{waitsFor}</span>}
          </Cell>
          <Cell label="Created">
            <Time at={madeAt} />
          </Cell>
          <Cell label="Finished">{doneAt === undefined ? '–' : <Time at={doneAt} />}</Cell>
        </Row>
      ))}
    </Table>
  );
}

const callbackColumns = ['Status', 'Address', 'Delivery', 'Attempts', 'Last result'];

function Callbacks({ lines }: { readonly lines: readonly CallbackLine[] }) {
  if (lines.length === 0) return <p class="hint">No callbacks were sent for this order.</p>;
  return (
    <Table caption="Callbacks about this order, oldest first" isCaptionHidden columns={callbackColumns}>
      {lines.map(({ status, url, state, attempts, answer }) => (
        <Row>
          <NameCell label="Status">
            <Status word={status} />
          </NameCell>
          <Cell label="Address">{url}</Cell>
          <Cell label="Delivery">{state.replaceAll('-', ' ')}</Cell>
          <Cell label="Attempts">{attempts}</Cell>
          <Cell label="Last result">{answer ?? '–'}</Cell>
        </Row>
      ))}
    </Table>
  );
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return <p class="hint">No audit findings for this order.</p>;
  return (
    <ul>
      {findings.map((finding) => (
        <li>
          <strong>{finding.title}</strong>: {finding.detail}
          {finding.count === 1 ? '' : ` (${finding.count} times)`}. Fix: <TextWithCode text={finding.fix} />
        </li>
      ))}
    </ul>
  );
}

interface TimelineEvent {
  /** Of several polls, the last. */
  readonly event: LoggedEvent;
  /** How many status requests with nothing in between this line stands for; 1 for any other event. */
  readonly polls: number;
}

/** Status requests that were answered one after the other are one line. */
function withPollsCollapsed(events: readonly LoggedEvent[]): readonly TimelineEvent[] {
  const lines: TimelineEvent[] = [];
  for (const event of events) {
    const last = lines.at(-1);
    if (last !== undefined && isPoll(event) && isPoll(last.event))
      lines[lines.length - 1] = { event, polls: last.polls + 1 };
    else lines.push({ event, polls: 1 });
  }
  return lines;
}

function isPoll({ kind, detail }: LoggedEvent): boolean {
  return kind === 'request' && detail['operation'] === 'STATUS';
}

/** Facts that stand on a line of their own. The rest is behind a click. */
const shownFacts: readonly (readonly [key: string, label: string, unit: string])[] = [
  ['status', 'HTTP', ''],
  ['signature', '', ''],
  ['ms', '', ' ms'],
];

function Event({ event, polls }: TimelineEvent) {
  const { id, at, kind, detail, fields } = event;
  const title = (kind === 'stage' ? stageText(event.title) : undefined) ?? event.title;
  const shown = shownFacts.flatMap(([key, label, unit]) => {
    const value = detail[key];
    // A callback that was never answered has an empty status.
    return value === undefined || value === '' ? [] : [`${label} ${value}${unit}`.trim()];
  });
  const keys = new Set([...shownFacts.map(([key]) => key), 'operation', 'endpoint', 'reason', 'client', 'reply']);
  const rest = [
    ...Object.entries(detail).filter(([key]) => !keys.has(key)),
    ...fields.filter(([name]) => detail[name] === undefined),
  ];
  return (
    <li class={`event of-${kind}`}>
      <p class="when">
        <Time at={at} /> <span class="kind">{kind}</span>
      </p>
      <div class="what">
        <p class="title">
          {title}
          {polls === 1 ? null : ` (polled ${polls} times)`}
        </p>
        {shown.length === 0 ? null : <p class="hint">{shown.join(' · ')}</p>}
        <Details id={`event-${id}`} what={fields.length > 0 ? 'Fields' : 'Details'} rows={rest} />
        <Details id={`reply-${id}`} what="Reply" rows={decodeForm(detail['reply'] ?? '')} />
      </div>
    </li>
  );
}

function Details({
  id,
  what,
  rows,
}: {
  readonly id: string;
  readonly what: string;
  readonly rows: readonly (readonly [string, string])[];
}) {
  if (rows.length === 0) return null;
  return (
    <details id={id}>
      <summary>
        {what} ({rows.length})
      </summary>
      <Pairs rows={rows} />
    </details>
  );
}
