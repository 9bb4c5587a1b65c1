import type { Finding } from '../audit/index.js';
import type { MerchantFacts } from '../merchants.js';
import { Pairs, Time } from './frame.js';
import { Cell, NameCell, Row, Table } from './table.js';

/** Merchants with their endpoints. Keys are for those who own the file. */
export function MerchantsPage({ merchants }: { readonly merchants: readonly MerchantFacts[] }) {
  return (
    <>
      <h1>Merchants</h1>
      <p class="hint">
        <code>paycli sandbox status</code> prints their keys; they are not shown here.
      </p>
      <Table caption="Merchants of this sandbox" isCaptionHidden columns={['Login', 'Endpoints', 'RSA public key']}>
        {merchants.map(({ login, endpoints, publicKeyPem }) => (
          <Row>
            <NameCell label="Login">{login}</NameCell>
            <Cell label="Endpoints">
              {endpoints.map(({ id, currency }) => `${id}${currency === undefined ? '' : ` (${currency} only)`}`).join(', ')}
            </Cell>
            <Cell label="RSA public key">{publicKeyPem === undefined ? 'none yet' : 'there'}</Cell>
          </Row>
        ))}
      </Table>
    </>
  );
}

/** What clients did wrong so far. */
export function ReportPage({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <>
      <h1>Report card</h1>
      <p class="hint">
        What clients of this sandbox did wrong so far, as <code>paycli sandbox audit</code> prints it.
      </p>
      {findings.length === 0 ? (
        <section class="empty" aria-labelledby="clean-title">
          <h2 id="clean-title">Nothing to complain about</h2>
          <p>No client has done anything wrong so far.</p>
        </section>
      ) : (
        <ol class="findings">
          {findings.map((finding) => (
            <FindingItem finding={finding} />
          ))}
        </ol>
      )}
    </>
  );
}

function FindingItem({ finding }: { readonly finding: Finding }) {
  const { rule, title, detail, fix, count, lastAt, request } = finding;
  const rows = request === undefined ? [] : [...request.headers, ...request.fields];
  return (
    <li class="finding">
      <h2>{title}</h2>
      <p>{detail}</p>
      <p>
        <strong>Fix:</strong> <Words text={fix} />
      </p>
      <p class="hint">
        {rule} · {count === 1 ? 'once' : `${count} times`} · last <Time at={lastAt} /> on the clock of the machine
      </p>
      {request === undefined ? null : (
        <details id={`request-${rule}-${lastAt}`}>
          <summary>{request.line}</summary>
          <Pairs rows={rows} />
        </details>
      )}
    </li>
  );
}

/** What stands between backquotes is something to type. */
function Words({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code>{part}</code>))}</>;
}

export function NotFoundPage() {
  return (
    <>
      <h1>No such order</h1>
      <p>
        The sandbox may have been reset. <a href="/">Show all orders</a>
      </p>
    </>
  );
}
