import { Status, Time } from './frame.js';
import { type OrderFilter, type OrderLine, type OrderList, statusWords } from './orders.js';
import { Cell, NameCell, Row, Table } from './table.js';

const firstCommand = 'paycli sale --amount 10.42 --currency USD --test-card approved --wait';

export function OrdersPage({ list, filter }: { readonly list: OrderList; readonly filter: OrderFilter }) {
  return (
    <>
      <h1>Orders</h1>
      {list.isEmpty ? <NothingYet /> : <Filters list={list} filter={filter} />}
      {list.isEmpty ? null : list.lines.length === 0 ? <NothingFits /> : <Orders list={list} filter={filter} />}
    </>
  );
}

function NothingYet() {
  return (
    <section class="empty" aria-labelledby="empty-title">
      <h2 id="empty-title">No orders yet</h2>
      <p>Make the first one in a terminal; it shows up here by itself:</p>
      <pre>
        <code>{firstCommand}</code>
      </pre>
      <p>
        Or send a request from your own code. The <a href="/merchants">merchants</a> page has the endpoints.
      </p>
    </section>
  );
}

function NothingFits() {
  return (
    <section class="empty" aria-labelledby="empty-title">
      <h2 id="empty-title">No order fits</h2>
      <p>
        Nothing matches these filters. <a href="/">Show all orders</a>
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
          <input id="q" name="q" type="search" value={filter.search} placeholder="yours or the gateway's" autocomplete="off" />
        </p>
        <Choice id="status" label="Status" chosen={filter.status} words={statusWords} />
        <Choice id="operation" label="Operation" chosen={filter.operation} words={list.operations} />
        <Choice id="merchant" label="Merchant" chosen={filter.merchant} words={list.merchants} />
        <p class="field buttons">
          <button type="submit">Filter</button>
          <a href="/">Clear</a>
        </p>
      </form>
    </search>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly chosen: string;
  readonly words: readonly string[];
}

function Choice({ id, label, chosen, words }: ChoiceProps) {
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <select id={id} name={id}>
        <option value="">all</option>
        {words.map((word) => (
          <option value={word} selected={word === chosen}>
            {word.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </p>
  );
}

const columns = ['Order', 'Operation', 'Merchant', 'Amount', 'Status', 'Time'];

function Orders({ list, filter }: { readonly list: OrderList; readonly filter: OrderFilter }) {
  const count = list.total === 1 ? '1 order' : `${list.total} orders`;
  const where = list.pages === 1 ? '' : `, page ${filter.page} of ${list.pages}`;
  return (
    <>
      <Table caption={`${count}, newest first${where}`} columns={columns}>
        {list.lines.map((line) => (
          <OrderRow line={line} />
        ))}
      </Table>
      {list.pages === 1 ? null : <Paging list={list} filter={filter} />}
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
      <Cell label="Operation">{line.operation.replaceAll('_', ' ')}</Cell>
      <Cell label="Merchant">{line.login}</Cell>
      <Cell label="Amount">{line.amount === undefined ? '–' : `${line.amount} ${line.currency ?? ''}`}</Cell>
      <Cell label="Status">
        <Status word={line.status} />
        <span class="under">{line.stage}</span>
      </Cell>
      <Cell label="Time">
        <Time at={line.madeAt} />
      </Cell>
    </Row>
  );
}

function Paging({ list, filter }: { readonly list: OrderList; readonly filter: OrderFilter }) {
  const { page } = filter;
  return (
    <nav class="paging" aria-label="Pages of the list">
      {page > 1 ? <a href={addressOf(filter, page - 1)}>Newer</a> : <span>Newer</span>}
      {page < list.pages ? <a href={addressOf(filter, page + 1)}>Older</a> : <span>Older</span>}
    </nav>
  );
}

function addressOf({ status, operation, merchant, search }: OrderFilter, page: number): string {
  const given = Object.entries({ q: search, status, operation, merchant, page: String(page) }).filter(([, value]) => value !== '');
  return `/?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}
