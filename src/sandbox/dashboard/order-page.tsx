import type { Child } from 'hono/jsx';
import { commandOf } from '../../spec/index.js';
import { transactionKinds } from '../../spec/lifecycle.js';
import { stageText, stepText } from '../../spec/transaction-words.js';
import { decodeForm } from '../../wire/form.js';
import { maskedEnding } from '../../wire/mask.js';
import type { StoredCard } from '../cards.js';
import type { LoggedEvent } from '../log.js';
import { Status, Table, TextWithCode, Time } from './layout.js';
import { amountOfOrder, Newest } from './order-list.js';
import type { OrderView } from './orders.js';

type Pairs = readonly (readonly [name: string, value: string])[];

export function OrderPage({ view }: { readonly view: OrderView }) {
  const { order, transactions, callbacks, findings, events } = view;
  return (
    <>
      <p class="back">
        <a href="/">All orders</a>
      </p>
      <h1>Order {order.id}</h1>
      <p class="lead">
        <Newest transactions={transactions} className="stage" />
        {order.amount === undefined ? null : <strong class="sum">{amountOfOrder(order)}</strong>}
      </p>
      <Section id="facts" title="Facts">
        <Facts view={view} />
      </Section>
      <p class="hint">
        <a href="#callbacks">Callbacks ({callbacks.length})</a> ·{' '}
        <a href="#findings">Audit findings ({findings.length})</a>
      </p>
      <Section id="transactions" title="Transactions">
        <Transactions view={view} />
      </Section>
      <Section id="timeline" title="Timeline">
        {view.isCut ? (
          <p class="hint">
            <TextWithCode
              text={`Only the newest events are shown; \`paycli sandbox log --order ${order.id}\` has more.`}
            />
          </p>
        ) : null}
        <ol class="timeline">
          {withPollsCollapsed(events).map(({ event, polls }) => (
            <Event event={event} polls={polls} />
          ))}
        </ol>
      </Section>
      <Section id="callbacks" title="Callbacks">
        <Callbacks view={view} />
      </Section>
      <Section id="findings" title="Audit findings">
        <Findings view={view} />
      </Section>
    </>
  );
}

function Section({ id, title, children }: { readonly id: string; readonly title: string; readonly children?: Child }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

interface ViewProps {
  readonly view: OrderView;
}

function Facts({ view: { order, card, destination } }: ViewProps) {
  const facts: readonly (readonly [name: string, value: Child | undefined])[] = [
    ['Client order id', order.clientOrderId],
    ['Merchant', order.login],
    ['Operation', commandOf(order.operation) ?? order.operation],
    ['Created', <Time at={order.madeAt} />],
    ['Endpoint', order.endpointId],
    ['Description', order.description],
    ['Card', cardText(card)],
    ['Receiving card', cardText(destination)],
    ['Redirect URL', order.redirectUrl],
    ['Callback address', order.callbackUrl],
    ['Notification address', order.notifyUrl],
  ];
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function cardText(card: StoredCard | undefined): string | undefined {
  if (card === undefined) return undefined;
  const expiry = card.month === undefined ? '' : `, ${card.month.padStart(2, '0')}/${card.year ?? ''}`;
  return `${card.brand} ${maskedEnding(card.lastFour)}${expiry}`;
}

function Transactions({ view: { order, transactions } }: ViewProps) {
  return (
    <Table
      caption="Transactions of this order, oldest first"
      isCaptionHidden
      columns={['Operation', 'Amount', 'Status', 'Created', 'Finished']}
      rows={transactions.map(({ kind, amount, status, step, madeAt, doneAt }) => [
        transactionKinds[kind].name,
        amount === undefined ? '–' : amountOfOrder(order, amount),
        <>
          <Status word={status} />
          {status === 'processing' ? <span class="under">{stepText(step)}</span> : null}
        </>,
        <Time at={madeAt} />,
        doneAt === undefined ? '–' : <Time at={doneAt} />,
      ])}
    />
  );
}

function Callbacks({ view: { callbacks } }: ViewProps) {
  if (callbacks.length === 0) return <p class="hint">No callbacks were sent for this order.</p>;
  return (
    <Table
      caption="Callbacks about this order, oldest first"
      isCaptionHidden
      columns={['Status', 'Address', 'Delivery', 'Attempts', 'Last result']}
      rows={callbacks.map(({ status, url, state, attempts, answer }) => [
        <Status word={status} />,
        url,
        state.replaceAll('-', ' '),
        String(attempts),
        answer ?? '–',
      ])}
    />
  );
}

function Findings({ view: { findings } }: ViewProps) {
  if (findings.length === 0) return <p class="hint">No audit findings for this order.</p>;
  return (
    <ul>
      {findings.map(({ title, detail, count, fix }) => (
        <li>
          <strong>{title}</strong>: {detail}
          {count === 1 ? '' : ` (${count} times)`}. Fix: <TextWithCode text={fix} />
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
  const isPoll = ({ kind, detail }: LoggedEvent) => kind === 'request' && detail['operation'] === 'STATUS';
  const lines: TimelineEvent[] = [];
  for (const event of events) {
    const last = lines.at(-1);
    const isAgain = last !== undefined && isPoll(event) && isPoll(last.event);
    if (isAgain) lines.pop();
    lines.push({ event, polls: isAgain ? last.polls + 1 : 1 });
  }
  return lines;
}

/** Facts of an event that stand on a line of their own. Others are behind a click, or in the title. */
const shownFacts = { status: 'HTTP ', signature: '', ms: '' } as const;
const hiddenFacts = new Set([...Object.keys(shownFacts), 'operation', 'endpoint', 'reason', 'client', 'reply']);

function Event({ event: { id, at, kind, title, detail, fields }, polls }: TimelineEvent) {
  const shown = Object.entries(shownFacts).flatMap(([key, label]) => {
    const value = detail[key];
    // A callback that was never answered has an empty status.
    return value === undefined || value === '' ? [] : [`${label}${value}${key === 'ms' ? ' ms' : ''}`];
  });
  const rest: Pairs = [
    ...Object.entries(detail).filter(([key]) => !hiddenFacts.has(key)),
    ...fields.filter(([name]) => detail[name] === undefined),
  ];
  return (
    <li class={`event of-${kind}`}>
      <p class="when">
        <Time at={at} /> <span class="kind">{kind}</span>
      </p>
      <div class="what">
        <p class="title">
          {(kind === 'stage' ? stageText(title) : undefined) ?? title}
          {polls === 1 ? null : ` (polled ${polls} times)`}
        </p>
        {shown.length === 0 ? null : <p class="hint">{shown.join(' · ')}</p>}
        <Details id={`event-${id}`} what={fields.length > 0 ? 'Fields' : 'Details'} rows={rest} />
        <Details id={`reply-${id}`} what="Reply" rows={decodeForm(detail['reply'] ?? '')} />
      </div>
    </li>
  );
}

function Details({ id, what, rows }: { readonly id: string; readonly what: string; readonly rows: Pairs }) {
  if (rows.length === 0) return null;
  return (
    <details id={id}>
      <summary>
        {what} ({rows.length})
      </summary>
      <dl class="pairs">
        {rows.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value === '' ? '(empty)' : value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
