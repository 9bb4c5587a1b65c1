import type { Pair } from '../../wire/form.js';
import { amountText, Layout } from '../pages/layout.js';
import type { Stay } from '../pages/progress.js';
import { pagesPath } from '../pages/reply.js';
import { SendForm } from '../pages/send-form.js';

interface ChallengeProps {
  readonly stay: Stay;
  /** What the merchant wants back with the answer. */
  readonly kept: readonly Pair[];
  /** True after a wrong code. */
  readonly isWrong: boolean;
}

export const mostTries = 3;

/** The issuer's question to the cardholder. The code that a bank would send to a phone stands on the page. */
export function ChallengePage({ stay, kept, isWrong }: ChallengeProps) {
  const { order, visit } = stay;
  const amount = amountText(order);
  const left = mostTries - visit.tries;
  return (
    <Layout title={`${isWrong ? 'Error: ' : ''}Confirm with your bank`}>
      <p class="merchant">Test bank</p>
      <h1>Confirm that it is you</h1>
      <dl>
        <dt>Merchant</dt>
        <dd>{order.login}</dd>
        {amount === undefined ? (
          ''
        ) : (
          <>
            <dt>Amount</dt>
            <dd>{amount}</dd>
          </>
        )}
        <dt>Order</dt>
        <dd>{order.clientOrderId}</dd>
      </dl>
      <div class="notice">
        <p>Your one-time code, which a bank would send to your phone:</p>
        <p>
          <strong class="code">{visit.code}</strong>
        </p>
      </div>
      <form method="post" action={`${pagesPath}/3ds/${visit.token}/answer`} novalidate>
        <input type="hidden" name="csrf" value={visit.csrf} />
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <div class="field">
          <label for="code">One-time code</label>
          <input
            {...{ type: 'text', id: 'code', name: 'code', autocomplete: 'one-time-code', inputmode: 'numeric', maxlength: 6 }}
            {...{ required: true, autofocus: true, 'aria-describedby': 'code-error', ...(isWrong ? { 'aria-invalid': 'true' } : {}) }}
          />
          <p class="error" id="code-error">
            {isWrong ? `This is not the code. ${left === 1 ? 'One more try' : `${left} more tries`}.` : ''}
          </p>
        </div>
        <button type="submit" name="action" value="submit" class="main">
          Confirm
        </button>
        <button type="submit" name="action" value="cancel" class="quiet">
          Cancel
        </button>
      </form>
    </Layout>
  );
}

interface ReturnProps {
  readonly to: string;
  readonly fields: readonly Pair[];
  readonly isDone: boolean;
}

/** Takes the issuer's answer to the merchant. */
export function AnswerPage({ to, fields, isDone }: ReturnProps) {
  return (
    <Layout title="Back to the merchant" script="send.js">
      <p class="merchant">Test bank</p>
      <h1>{isDone ? 'Thank you, confirmed' : 'Not confirmed'}</h1>
      <SendForm to={to} fields={fields} label="Back to the merchant" after={300} />
    </Layout>
  );
}

/** For a merchant without an address to come back to: the message stands on the page. */
export function AnswerText({ field: [name, value], isDone }: { readonly field: Pair; readonly isDone: boolean }) {
  return (
    <Layout title="Answer of the bank">
      <p class="merchant">Test bank</p>
      <h1>{isDone ? 'Thank you, confirmed' : 'Not confirmed'}</h1>
      <p>The order has no address to go back to. This is what would be sent there as {name}:</p>
      <p>
        <code id="answer" data-field={name}>
          {value}
        </code>
      </p>
    </Layout>
  );
}
