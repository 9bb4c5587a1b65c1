import { Cell, NameCell, Paging, Pairs, Row, Table, TextWithCode, Time } from './layout.js';
import type { RequestLine, RequestList, RequestView } from './requests.js';

const columns = ['Request', 'Operation', 'Merchant', 'Order', 'HTTP', 'Result'];

interface RequestsProps {
  readonly list: RequestList;
  readonly page: number;
  readonly onlyRefused: boolean;
}

/** Every request that came, refused ones among them. */
export function RequestsPage({ list, page, onlyRefused }: RequestsProps) {
  const { total, pages } = list;
  const count = total === 1 ? '1 request' : `${total} requests`;
  const where = pages === 1 ? '' : `, page ${page} of ${pages}`;
  return (
    <>
      <h1>Requests</h1>
      <p class="hint">
        {onlyRefused ? <a href="/requests">Show all requests</a> : <a href="/requests?refused=1">Show refused only</a>}
      </p>
      {list.lines.length === 0 ? (
        <section class="empty" aria-labelledby="empty-title">
          <h2 id="empty-title">No requests</h2>
          <p>{onlyRefused ? 'No request was refused.' : 'No request has arrived yet.'}</p>
        </section>
      ) : (
        <Table caption={`${count}, newest first${where}`} columns={columns}>
          {list.lines.map((line) => (
            <RequestRow line={line} />
          ))}
        </Table>
      )}
      <Paging page={page} pages={pages} addressOf={(to) => `/requests?${onlyRefused ? 'refused=1&' : ''}page=${to}`} />
    </>
  );
}

function RequestRow({ line }: { readonly line: RequestLine }) {
  const { id, at, operation, login, orderId, httpStatus, isRefused } = line.newest;
  return (
    <Row>
      <NameCell label="Request">
        <a href={`/requests/${id}`}>
          <Time at={at} />
        </a>
      </NameCell>
      <Cell label="Operation">{operation}</Cell>
      <Cell label="Merchant">{login ?? '–'}</Cell>
      <Cell label="Order">{orderId === undefined ? '–' : <a href={`/orders/${orderId}`}>{orderId}</a>}</Cell>
      <Cell label="HTTP">{httpStatus}</Cell>
      <Cell label="Result">
        <div>
          {isRefused ? <span class="status is-declined">refused</span> : null} <Result request={line.newest} />
          {line.count === 1 ? null : <Queries line={line} />}
        </div>
      </Cell>
    </Row>
  );
}

function Result({ request: { title, operation } }: { readonly request: RequestView }) {
  return <TextWithCode text={resultIn(title, operation)} />;
}

/** The status queries that one row stands for. */
function Queries({ line: { newest, count, queries, since, oldest } }: { readonly line: RequestLine }) {
  return (
    <details id={`queries-${oldest}`}>
      <summary>
        {count} queries from <Time at={since} /> to <Time at={newest.at} />
      </summary>
      <ol class="queries">
        {queries.map((query) => (
          <li>
            <a href={`/requests/${query.id}`}>
              <Time at={query.at} />
            </a>{' '}
            <Result request={query} />
          </li>
        ))}
      </ol>
      {count === queries.length ? null : <p class="hint">The newest {queries.length} are shown.</p>}
    </details>
  );
}

/** The title without the operation, which has a column of its own. */
function resultIn(title: string, operation: string): string {
  const rest = title.startsWith(`${operation} `) ? title.slice(operation.length + 1) : title;
  return rest.replace(/^(.* )?refused: /, '');
}

/** One request with its fields and the reply. */
export function RequestPage({ request }: { readonly request: RequestView }) {
  const { id, at, operation, login, orderId, isRefused, title, httpStatus, signature, fields, reply } = request;
  return (
    <>
      <p class="back">
        <a href="/requests">All requests</a>
      </p>
      <h1>
        Request {id}: {operation}
      </h1>
      <p class="lead">
        {isRefused ? <span class="status is-declined">refused</span> : <span class="status">answered</span>}{' '}
        <span class="stage">
          <TextWithCode text={title} />
        </span>
      </p>
      <section aria-labelledby="facts-title">
        <h2 id="facts-title">Facts</h2>
        <dl class="facts">
          <div>
            <dt>Time</dt>
            <dd>
              <Time at={at} />
            </dd>
          </div>
          <div>
            <dt>Merchant</dt>
            <dd>{login ?? 'unknown'}</dd>
          </div>
          <div>
            <dt>Order</dt>
            <dd>{orderId === undefined ? 'none' : <a href={`/orders/${orderId}`}>{orderId}</a>}</dd>
          </div>
          <div>
            <dt>HTTP status</dt>
            <dd>{httpStatus}</dd>
          </div>
          <div>
            <dt>Signature</dt>
            <dd>{signature ?? 'not checked'}</dd>
          </div>
        </dl>
        {isRefused ? (
          <p class="hint">
            Where the client made a mistake, the <a href="/report">audit report</a> names it and says how to fix it.
          </p>
        ) : null}
      </section>
      <section aria-labelledby="fields-title">
        <h2 id="fields-title">Request fields</h2>
        {fields.length === 0 ? <p class="hint">The request had no readable fields.</p> : <Pairs rows={fields} />}
      </section>
      {isRefused ? null : (
        <section aria-labelledby="reply-title">
          <h2 id="reply-title">Reply fields</h2>
          {reply.length === 0 ? <p class="hint">This reply is not in the log.</p> : <Pairs rows={reply} />}
        </section>
      )}
    </>
  );
}
