import { testCards } from '../../../spec/index.js';
import type { TransactionKind } from '../../../spec/lifecycle.js';
import { outcomeOf } from '../../ledger/outcomes.js';
import { maxCardAttempts } from '../../ledger/visits.js';
import { amountText, Layout, Summary } from './html.js';
import { type Destination, destinations, type Input, type SubmittedInputs } from './inputs.js';
import type { PageSession } from './page-session.js';

interface Wording {
  readonly title: string;
  readonly button: string;
  readonly note?: string;
}

const wordings: Partial<Readonly<Record<TransactionKind, Wording>>> = {
  sale: { title: 'Pay by card', button: 'Pay' },
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

interface FormProps {
  readonly session: PageSession;
  readonly inputs: readonly Input[];
  /** For a payout: where it goes. */
  readonly chosen?: Destination | undefined;
  /** What the customer sent and has to correct. */
  readonly typed?: SubmittedInputs | undefined;
}

/** The page a customer fills in. */
export function FormPage({ session, inputs, chosen, typed }: FormProps) {
  const { order, opening, visit, now } = session;
  const { title, button, note } = wordingOf(opening.kind);
  const amount = amountText(order);
  const errors = typed?.errors ?? new Map<string, string>();
  return (
    <Layout title={`${errors.size > 0 ? 'Error: ' : ''}${title} - ${order.login}`} script="form.js">
      <Summary order={order} opening={opening} title={title} />
      <DeclinedNotice session={session} />
      <ErrorSummary errors={errors} />
      <form method="post" novalidate data-check="" data-now={String(now)}>
        <input type="hidden" name="csrf" value={visit.csrf} />
        {chosen === undefined ? <Fields inputs={inputs} typed={typed} /> : <Choice chosen={chosen} typed={typed} />}
        {note === undefined ? '' : <p class="hint">{note}</p>}
        <button type="submit" name="action" value="pay" class="main">
          {amount === undefined ? button : `${button} ${amount}`}
        </button>
        <button type="submit" name="action" value="cancel" class="quiet">
          Cancel
        </button>
      </form>
      {opening.kind === 'payout' ? '' : <TestCards />}
    </Layout>
  );
}

/** What became of the card before this one. */
function DeclinedNotice({ session: { visit } }: { readonly session: PageSession }) {
  if (visit.lastOutcome === undefined) return '';
  const left = maxCardAttempts - visit.attempts;
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>The card was declined.</strong> {outcomeOf(visit.lastOutcome).message}.
      </p>
      <p>
        {left === 1
          ? 'One attempt left, with this or another card.'
          : `${left} attempts left, with this or another card.`}
      </p>
    </div>
  );
}

function ErrorSummary({ errors }: { readonly errors: ReadonlyMap<string, string> }) {
  const shown = errors.size > 0 ? { autofocus: true } : { hidden: true };
  return (
    <div class="notice bad" id="summary" role="alert" tabindex={-1} {...shown}>
      <p>
        <strong>Please correct this:</strong>
      </p>
      <ul>
        {[...errors].map(([name, words]) => (
          <li>
            <a href={`#${name}`}>{words}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Fields({ inputs, typed }: { readonly inputs: readonly Input[]; readonly typed: SubmittedInputs | undefined }) {
  const short = inputs.filter(({ max }) => max <= 7);
  const long = inputs.filter(({ max }) => max > 7);
  return (
    <>
      {long.map((input) => (
        <InputControl input={input} typed={typed} />
      ))}
      {short.length === 0 ? (
        ''
      ) : (
        <div class="pair">
          {short.map((input) => (
            <InputControl input={input} typed={typed} />
          ))}
        </div>
      )}
    </>
  );
}

/** Where a payout goes. Without scripts the style sheet alone shows the fields of the chosen way. */
function Choice({ chosen, typed }: { readonly chosen: Destination; readonly typed: SubmittedInputs | undefined }) {
  return (
    <>
      <fieldset>
        <legend>Where should the money go?</legend>
        <div class="choices">
          {destinations.map(({ name, label }) => (
            <label for={`to-${name}`}>
              <input type="radio" name="to" id={`to-${name}`} value={name} checked={name === chosen.name} />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      {destinations.map(({ name, label, inputs }) => (
        <fieldset class={`to-${name}`}>
          <legend hidden>{label}</legend>
          <Fields inputs={inputs} typed={name === chosen.name ? typed : undefined} />
        </fieldset>
      ))}
    </>
  );
}

function InputControl({ input, typed }: { readonly input: Input; readonly typed: SubmittedInputs | undefined }) {
  const { name, label, hint, max, autocomplete, inputmode, check, missing, wrong } = input;
  const error = typed?.errors.get(name);
  const again = input.isShownAgain === true ? typed?.values[name] : undefined;
  const described = [...(hint === undefined ? [] : [`${name}-hint`]), `${name}-error`].join(' ');
  return (
    <div class="field">
      <label for={name}>
        {label}
        {input.isOptional === true ? ' (optional)' : ''}
      </label>
      {hint === undefined ? (
        ''
      ) : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <input
        {...{
          type: 'text',
          id: name,
          name,
          autocomplete,
          inputmode,
          maxlength: max,
          spellcheck: false,
          autocapitalize: 'off',
        }}
        {...{ 'data-check': check, 'data-missing': missing, 'data-wrong': wrong, 'aria-describedby': described }}
        {...(input.isOptional === true ? {} : { required: true })}
        {...(error === undefined ? {} : { 'aria-invalid': 'true' })}
        {...(again === undefined ? {} : { value: again })}
      />
      <p class="error" id={`${name}-error`}>
        {error ?? ''}
      </p>
    </div>
  );
}

function TestCards() {
  return (
    <details>
      <summary>Test cards</summary>
      <ul>
        {testCards.map(({ number, cvv, about }) => (
          <li>
            <code>{number.replace(/(.{4})(?=.)/g, '$1 ')}</code> with security code <code>{cvv}</code>: {about}
          </li>
        ))}
      </ul>
    </details>
  );
}
