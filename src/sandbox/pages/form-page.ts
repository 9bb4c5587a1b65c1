import { html } from 'hono/html';
import { testCards } from '../../spec/index.js';
import type { TransactionKind } from '../../spec/lifecycle.js';
import { outcomeOf } from '../outcomes.js';
import { maxCardAttempts } from '../visits.js';
import { amountText, type Html, hiddenInputs, hostedPage, summary } from './html.js';
import { type Destination, destinations, type Input, type SubmittedInputs } from './inputs.js';
import type { PageSession } from './page-session.js';

interface Wording {
  readonly title: string;
  readonly button: string;
  readonly note?: string;
}

const wordings: Partial<Readonly<Record<TransactionKind, Wording>>> = {
  preauth: {
    title: 'Hold an amount on your card',
    button: 'Hold',
    note: 'The amount is held now and charged later, or released.',
  },
  'account-verification': {
    title: 'Check your card',
    button: 'Check the card',
    note: 'The card is checked. Nothing is charged.',
  },
  payout: { title: 'Receive money', button: 'Receive' },
};

/** How a page of this kind of order is called. */
export function wordingOf(kind: TransactionKind): Wording {
  return wordings[kind] ?? { title: 'Pay by card', button: 'Pay' };
}

interface Form {
  readonly inputs: readonly Input[];
  /** For a payout: where it goes. */
  readonly chosen?: Destination | undefined;
  /** What the customer sent and has to correct. */
  readonly typed?: SubmittedInputs | undefined;
}

/** The page a customer fills in. */
export function formPage(session: PageSession, { inputs, chosen, typed }: Form): Html {
  const { order, opening, visit } = session;
  const { title, button, note } = wordingOf(opening.kind);
  const errors = [...(typed?.errors ?? [])];
  return hostedPage(
    { title: `${errors.length > 0 ? 'Error: ' : ''}${title} - ${order.login}` },
    html`${summary(session, title)}${declinedNotice(session)}${errors.length > 0 && errorSummary(errors)}
      <form method="post" novalidate>
        ${hiddenInputs([['csrf', visit.csrf]])}${chosen === undefined ? controls(inputs, typed) : choice(chosen, typed)}
        ${note !== undefined && html`<p class="hint">${note}</p>`}
        <button type="submit" name="action" value="pay" class="main">${button} ${amountText(order)}</button>
        <button type="submit" name="action" value="cancel" class="quiet">Cancel</button>
      </form>
      ${opening.kind !== 'payout' && testCardList}`,
  );
}

/** What became of the card before this one. */
function declinedNotice({ visit: { lastOutcome, attempts } }: PageSession): Html | undefined {
  if (lastOutcome === undefined) return undefined;
  const left = maxCardAttempts - attempts;
  return html`<div class="notice bad" role="alert">
    <p><strong>The card was declined.</strong> ${outcomeOf(lastOutcome).message}.</p>
    <p>${left === 1 ? 'One attempt left' : `${left} attempts left`}, with this or another card.</p>
  </div>`;
}

function errorSummary(errors: readonly (readonly [name: string, words: string])[]): Html {
  return html`<div class="notice bad" id="summary" role="alert" tabindex="-1" autofocus>
    <p><strong>Please correct this:</strong></p>
    <ul>${errors.map(([name, words]) => html`<li><a href="#${name}">${words}</a></li>`)}</ul>
  </div>`;
}

function controls(inputs: readonly Input[], typed: SubmittedInputs | undefined): Html {
  const isShort = ({ max }: Input) => max <= 7;
  const shown = (some: readonly Input[]) => some.map((input) => control(input, typed));
  return html`${shown(inputs.filter((input) => !isShort(input)))}<div class="pair">${shown(inputs.filter(isShort))}</div>`;
}

/** Where a payout goes. The style sheet alone shows the fields of the chosen way. */
function choice(chosen: Destination, typed: SubmittedInputs | undefined): Html {
  const radios = destinations.map(
    ({ name, label }) => html`<label for="to-${name}">
      <input type="radio" name="to" id="to-${name}" value="${name}"${name === chosen.name && ' checked'} />${label}
    </label>`,
  );
  const fields = destinations.map(
    ({ name, label, inputs }) => html`<fieldset class="to-${name}">
      <legend hidden>${label}</legend>${controls(inputs, name === chosen.name ? typed : undefined)}
    </fieldset>`,
  );
  return html`<fieldset>
      <legend>Where should the money go?</legend>
      <div class="choices">${radios}</div>
    </fieldset>
    ${fields}`;
}

function control(input: Input, typed: SubmittedInputs | undefined): Html {
  const { name, label, hint, max, autocomplete, inputmode, isOptional, isShownAgain } = input;
  const error = typed?.errors.get(name);
  const again = isShownAgain ? typed?.values[name] : undefined;
  const described = hint === undefined ? `${name}-error` : `${name}-hint ${name}-error`;
  return html`<div class="field">
    <label for="${name}">${label}${isOptional === true && ' (optional)'}</label>
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    <input type="text" id="${name}" name="${name}" autocomplete="${autocomplete}" inputmode="${inputmode}"
      maxlength="${max}" spellcheck="false" autocapitalize="off" aria-describedby="${described}"
      ${isOptional !== true && 'required'} ${error !== undefined && html`aria-invalid="true"`}
      ${again !== undefined && html`value="${again}"`} />
    <p class="error" id="${name}-error">${error}</p>
  </div>`;
}

const testCardList = html`<details>
  <summary>Test cards</summary>
  <ul>
    ${testCards.map(
      ({ number, cvv, about }) => html`<li>
        <code>${number.replace(/(.{4})(?=.)/g, '$1 ')}</code> with security code <code>${cvv}</code>: ${about}
      </li>`,
    )}
  </ul>
</details>`;
