import { commandOf, statuses } from '../../spec/index.js';
import { statusText, transactionText } from '../../spec/transaction-words.js';
import { decimalText } from '../../wire/amount.js';
import type { Order, Transaction } from '../orders.js';
import { Status, Table, Time } from './layout.js';
import type { OrderFilter, OrderList } from './orders.js';

const firstCommand = 'paycli sale --profile sandbox --amount 10.42 --currency USD --test-card approved --wait';

interface ListProps {
  readonly list: OrderList;
  readonly filter: OrderFilter;
}

export function OrdersPage({ list, filter }: ListProps) {
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

function Filters({ list, filter }: ListProps) {
  const selects = [
    { id: 'status', label: 'Status', words: Object.keys(statuses), show: statusText },
    { id: 'operation', label: 'Operation', words: list.operations, show: (id: string) => commandOf(id) ?? id },
    { id: 'merchant', label: 'Merchant', words: list.merchants, show: String },
  ] as const;
  const search = { type: 'search', value: filter.search, placeholder: "yours or the gateway's", autocomplete: 'off' };
  return (
    <search>
      <form class="filters" method="get" action="/">
        <p class="field wide">
          <label for="q">Order id</label>
          <input id="q" name="q" {...search} />
        </p>
        {selects.map(({ id, label, words, show }) => (
          <p class="field">
            <label for={id}>{label}</label>
            <select id={id} name={id}>
              <option value="">all</option>
              {words.map((word) => (
                <option value={word} selected={word === filter[id]}>
                  {show(word)}
                </option>
              ))}
            </select>
          </p>
        ))}
        <p class="field buttons">
          <button type="submit">Filter</button>
          <a href="/">Clear</a>
        </p>
      </form>
    </search>
  );
}

function Orders({ list: { lines, total, pages }, filter }: ListProps) {
  const { page } = filter;
  const count = total === 1 ? '1 order' : `${total} orders`;
  const where = pages === 1 ? '' : `, page ${page} of ${pages}`;
  return (
    <>
      <Table
        caption={`${count}, newest first${where}`}
        columns={['Order', 'Operation', 'Merchant', 'Amount', 'Status', 'Time']}
        rows={lines.map(({ order, transactions }) => [
          <>
            <a href={`/orders/${order.id}`}>{order.id}</a>
            <span class="under">{order.clientOrderId}</span>
          </>,
          commandOf(order.operation) ?? order.operation,
          order.login,
          amountOfOrder(order),
          <Newest transactions={transactions} className="under" />,
          <Time at={order.madeAt} />,
        ])}
      />
      {pages === 1 ? null : (
        <nav class="paging" aria-label="Pages of the list">
          {page > 1 ? <a href={pageAddress(filter, page - 1)}>Newer</a> : <span>Newer</span>}
          {page < pages ? <a href={pageAddress(filter, page + 1)}>Older</a> : <span>Older</span>}
        </nav>
      )}
    </>
  );
}

/** The state of the newest transaction, and its operation as the command line names it. */
export function Newest({
  transactions,
  className,
}: {
  readonly transactions: readonly Transaction[];
  readonly className: string;
}) {
  const newest = transactions.at(-1);
  if (newest === undefined) return null;
  const { kind, status, step } = newest;
  return (
    <>
      <Status word={status} /> <span class={className}>{transactionText(kind, status, step)}</span>
    </>
  );
}

/** An amount in the currency of its order; a dash for none. */
export function amountOfOrder({ digits, currency = '', ...order }: Order, amount = order.amount): string {
  return amount === undefined ? '–' : `${decimalText(amount, digits)} ${currency}`;
}

function pageAddress({ status, operation, merchant, search }: OrderFilter, page: number): string {
  const given = Object.entries({ q: search, status, operation, merchant, page: String(page) }).filter(
    ([, value]) => value !== '',
  );
  return `/?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}
