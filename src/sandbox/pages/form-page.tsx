import { testCards } from '../../spec/index.js';
import type { TransactionKind } from '../../spec/lifecycle.js';
import { outcomeOf } from '../outcomes.js';
import { maxCardAttempts } from '../visits.js';
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
  const { order, opening, visit } = session;
  const { title, button, note } = wordingOf(opening.kind);
  const amount = amountText(order);
  const errors = typed?.errors ?? new Map<string, string>();
  return (
    <Layout title={`${errors.size > 0 ? 'Error: ' : ''}${title} - ${order.login}`}>
      <Summary session={session} title={title} />
      <DeclinedNotice session={session} />
      <ErrorSummary errors={errors} />
      <form method="post" novalidate>
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
  if (errors.size === 0) return '';
  return (
    <div class="notice bad" id="summary" role="alert" tabindex={-1} autofocus>
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

interface FieldsProps {
  readonly inputs: readonly Input[];
  readonly typed: SubmittedInputs | undefined;
}

function Fields({ inputs, typed }: FieldsProps) {
  const controls = (wanted: boolean) =>
    inputs.filter(({ max }) => max <= 7 === wanted).map((input) => <InputControl input={input} typed={typed} />);
  return (
    <>
      {controls(false)}
      <div class="pair">{controls(true)}</div>
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
  const { name, label, hint, max: maxlength, autocomplete, inputmode, isOptional, isShownAgain } = input;
  const error = typed?.errors.get(name);
  const attributes = {
    ...{ type: 'text', id: name, name, autocomplete, inputmode, maxlength },
    ...({ spellcheck: false, autocapitalize: 'off' } as const),
    'aria-describedby': hint === undefined ? `${name}-error` : `${name}-hint ${name}-error`,
    required: isOptional !== true,
    'aria-invalid': error === undefined ? undefined : 'true',
    value: isShownAgain ? typed?.values[name] : undefined,
  } as const;
  return (
    <div class="field">
      <label for={name}>
        {label}
        {isOptional === true ? ' (optional)' : ''}
      </label>
      {hint === undefined ? (
        ''
      ) : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <input {...attributes} />
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
