import type { LoggedEvent } from '../log/read.js';
import { Pairs, Status, Time } from './frame.js';
import type { OrderView, TransactionLine } from './order.js';
import { Cell, NameCell, Row, Table } from './table.js';

export function OrderPage({ order }: { readonly order: OrderView }) {
  const { id, clientOrderId, login, operation, amount, currency, status, stage, madeAt } = order;
  return (
    <>
      <p class="back">
        <a href="/">All orders</a>
      </p>
      <h1>Order {id}</h1>
      <p class="lead">
        <Status word={status} /> <span class="stage">{stage}</span>
        {amount === undefined ? null : <strong class="sum">{`${amount} ${currency ?? ''}`}</strong>}
      </p>
      <section aria-labelledby="facts-title">
        <h2 id="facts-title">Facts</h2>
        <dl class="facts">
          <Fact name="Client order id" value={clientOrderId} />
          <Fact name="Merchant" value={login} />
          <Fact name="Made by" value={operation.replaceAll('_', ' ')} />
          <div>
            <dt>Made at</dt>
            <dd>
              <Time at={madeAt} />
            </dd>
          </div>
          {order.facts.map(([name, value]) => (
            <Fact name={name} value={value} />
          ))}
        </dl>
      </section>
      <section aria-labelledby="transactions-title">
        <h2 id="transactions-title">Transactions</h2>
        <Transactions lines={order.transactions} currency={currency} />
      </section>
      <section aria-labelledby="timeline-title">
        <h2 id="timeline-title">Timeline</h2>
        {order.isCut ? <p class="hint">Only the newest events are shown; `paycli sandbox log --order {id}` has more.</p> : null}
        {order.events.length === 0 ? <p class="hint">The log holds nothing of this order any more.</p> : null}
        <ol class="timeline">
          {order.events.map((event) => (
            <Event event={event} />
          ))}
        </ol>
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

const columns = ['Kind', 'Amount', 'Status', 'Made', 'Final'];

function Transactions({ lines, currency }: { readonly lines: readonly TransactionLine[]; readonly currency: string | undefined }) {
  return (
    <Table caption="Transactions of this order, oldest first" isCaptionHidden columns={columns}>
      {lines.map(({ kind, amount, status, stage, madeAt, doneAt }) => (
        <Row>
          <NameCell label="Kind">{kind}</NameCell>
          <Cell label="Amount">{amount === undefined ? '–' : `${amount} ${currency ?? ''}`}</Cell>
          <Cell label="Status">
            <Status word={status} />
            <span class="under">{stage}</span>
          </Cell>
          <Cell label="Made">
            <Time at={madeAt} />
          </Cell>
          <Cell label="Final">{doneAt === undefined ? '–' : <Time at={doneAt} />}</Cell>
        </Row>
      ))}
    </Table>
  );
}

/** Facts that stand on a line of their own. The rest is behind a click. */
const shownFacts: readonly (readonly [key: string, label: string, unit: string])[] = [
  ['status', 'HTTP', ''],
  ['signature', '', ''],
  ['ms', '', ' ms'],
];

function Event({ event }: { readonly event: LoggedEvent }) {
  const { id, at, kind, title, detail, fields } = event;
  const shown = shownFacts.flatMap(([key, label, unit]) => {
    const value = detail[key];
    return value === undefined ? [] : [`${label} ${value}${unit}`.trim()];
  });
  const keys = new Set([...shownFacts.map(([key]) => key), 'operation', 'endpoint', 'reason', 'client']);
  const rest = [...Object.entries(detail).filter(([key]) => !keys.has(key)), ...fields];
  return (
    <li class={`event of-${kind}`}>
      <p class="when">
        <Time at={at} /> <span class="kind">{kind}</span>
      </p>
      <div class="what">
        <p class="title">{title}</p>
        {shown.length === 0 ? null : <p class="hint">{shown.join(' · ')}</p>}
        {rest.length === 0 ? null : <Details id={id} what={fields.length > 0 ? 'Fields' : 'Details'} rows={rest} />}
      </div>
    </li>
  );
}

function Details({
  id,
  what,
  rows,
}: {
  readonly id: number;
  readonly what: string;
  readonly rows: readonly (readonly [string, string])[];
}) {
  return (
    <details id={`event-${id}`}>
      <summary>
        {what} ({rows.length})
      </summary>
      <Pairs rows={rows} />
    </details>
  );
}
