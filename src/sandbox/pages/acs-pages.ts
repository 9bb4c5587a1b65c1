import { html } from 'hono/html';
import { encodeMethodNotification } from '../../threeds/messages.js';
import type { Pair } from '../../wire/form.js';
import { amountText, factList, type Html, hiddenInputs, hostedPage, pagesPath, sendForm } from './html.js';
import type { PageSession } from './page-session.js';

export const maxCodeAttempts = 3;

/**
 * The issuer's question to the cardholder. The code that a bank would send to a phone stands on the page. `kept` is what
 * the merchant wants back with the answer.
 */
export function challengePage({ order, visit }: PageSession, kept: readonly Pair[], isWrong: boolean): Html {
  const left = maxCodeAttempts - visit.tries;
  const error = isWrong && `Incorrect code. ${left === 1 ? 'One attempt left' : `${left} attempts left`}.`;
  const facts = factList([
    ['Merchant', order.login],
    ['Amount', amountText(order)],
    ['Order', order.clientOrderId],
  ]);
  return hostedPage(
    { title: `${isWrong ? 'Error: ' : ''}Confirm with your bank` },
    html`<p class="merchant">Test bank</p>
      <h1>Confirm it’s you</h1>
      ${facts}
      <div class="notice">
        <p>Your one-time code, which a bank would send to your phone:</p>
        <p><strong class="code">${visit.code}</strong></p>
      </div>
      <form method="post" action="${pagesPath}/3ds/${visit.token}/answer" novalidate>
        ${hiddenInputs([['csrf', visit.csrf], ...kept])}
        <div class="field">
          <label for="code">One-time code</label>
          <input type="text" id="code" name="code" autocomplete="one-time-code" inputmode="numeric" maxlength="6" required
            autofocus aria-describedby="code-error"${isWrong && html` aria-invalid="true"`} />
          <p class="error" id="code-error">${error}</p>
        </div>
        <button type="submit" name="action" value="submit" class="main">Confirm</button>
        <button type="submit" name="action" value="cancel" class="quiet">Cancel</button>
      </form>`,
  );
}

/** Takes the issuer's answer to the merchant; where that has no address to come back to, it stands on the page. */
export function answerPage(to: string | undefined, fields: readonly Pair[], isDone: boolean): Html {
  const [[name, value] = ['', '']] = fields;
  const text = html`<p>The order has no return address. If it had one, the bank would send this to it as ${name}:</p>
    <p><code id="answer" data-field="${name}">${value}</code></p>`;
  return hostedPage(
    { title: to === undefined ? 'Bank response' : 'Back to the merchant', isSending: to !== undefined },
    html`<p class="merchant">Test bank</p>
      <h1>${isDone ? 'Thank you, confirmed' : 'Not confirmed'}</h1>
      ${to === undefined ? text : sendForm({ to, fields, label: 'Back to the merchant', after: 300 })}`,
  );
}

/** What runs in the hidden frame of the method step. A bank would look at the browser here. */
export function methodPage(tdsId: string, to: string | undefined): Html {
  const fields: readonly Pair[] = [['threeDSMethodData', encodeMethodNotification(tdsId)]];
  const collected = html`<p>The bank has collected the browser data.</p>`;
  return hostedPage(
    { title: '3-D Secure method step', isSending: to !== undefined },
    html`<h1>Method step done</h1>
      ${to === undefined ? collected : sendForm({ to, fields, label: 'Notify the merchant', after: 0, always: true })}`,
  );
}
