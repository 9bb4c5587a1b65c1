import { encodeMethodNotification } from '../../threeds/index.js';
import type { Pair } from '../../wire/form.js';
import { amountText, Facts, Layout, pagesPath, SendForm } from './html.js';
import type { PageSession } from './page-session.js';

interface ChallengeProps {
  readonly session: PageSession;
  /** What the merchant wants back with the answer. */
  readonly kept: readonly Pair[];
  /** True after a wrong code. */
  readonly isWrong: boolean;
}

export const maxCodeAttempts = 3;

/** The issuer's question to the cardholder. The code that a bank would send to a phone stands on the page. */
export function ChallengePage({ session, kept, isWrong }: ChallengeProps) {
  const { order, visit } = session;
  const left = maxCodeAttempts - visit.tries;
  return (
    <Layout title={`${isWrong ? 'Error: ' : ''}Confirm with your bank`}>
      <p class="merchant">Test bank</p>
      <h1>Confirm it’s you</h1>
      <Facts
        rows={[
          ['Merchant', order.login],
          ['Amount', amountText(order)],
          ['Order', order.clientOrderId],
        ]}
      />
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
            {...{
              type: 'text',
              id: 'code',
              name: 'code',
              autocomplete: 'one-time-code',
              inputmode: 'numeric',
              maxlength: 6,
            }}
            {...{
              required: true,
              autofocus: true,
              'aria-describedby': 'code-error',
              ...(isWrong ? { 'aria-invalid': 'true' } : {}),
            }}
          />
          <p class="error" id="code-error">
            {isWrong ? `Incorrect code. ${left === 1 ? 'One attempt left' : `${left} attempts left`}.` : ''}
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

interface AnswerProps {
  readonly fields: readonly Pair[];
  readonly isDone: boolean;
  /** Undefined for a merchant without an address to come back to: the message stands on the page. */
  readonly to: string | undefined;
}

/** Takes the issuer's answer to the merchant. */
export function AnswerPage({ to, fields, isDone }: AnswerProps) {
  const [[name, value] = ['', '']] = fields;
  return (
    <Layout title={to === undefined ? 'Bank response' : 'Back to the merchant'} isSending={to !== undefined}>
      <p class="merchant">Test bank</p>
      <h1>{isDone ? 'Thank you, confirmed' : 'Not confirmed'}</h1>
      {to === undefined ? (
        <>
          <p>The order has no return address. If it had one, the bank would send this to it as {name}:</p>
          <p>
            <code id="answer" data-field={name}>
              {value}
            </code>
          </p>
        </>
      ) : (
        <SendForm to={to} fields={fields} label="Back to the merchant" after={300} />
      )}
    </Layout>
  );
}

interface MethodProps {
  readonly tdsId: string;
  readonly notificationUrl: string | undefined;
}

/** What runs in the hidden frame of the method step. A bank would look at the browser here. */
export function MethodPage({ tdsId, notificationUrl: to }: MethodProps) {
  const fields: readonly Pair[] = [['threeDSMethodData', encodeMethodNotification(tdsId)]];
  return (
    <Layout title="3-D Secure method step" isSending={to !== undefined}>
      <h1>Method step done</h1>
      {to === undefined ? (
        <p>The bank has collected the browser data.</p>
      ) : (
        <SendForm to={to} fields={fields} label="Notify the merchant" after={0} always />
      )}
    </Layout>
  );
}
