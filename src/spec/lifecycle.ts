import type { Assume } from './assumptions.js';
import type { Condition } from './fields.js';
import type { FollowUpId, OperationId } from './operations/index.js';
import type { PayerStep } from './payer-steps.js';

/**
 * The transactions of an order. `type` is the word of transaction-type, `stage` the beginning of order-stage (A17),
 * `name` what the command line calls it.
 */
export const transactionKinds = {
  sale: { type: 'sale', stage: 'sale', name: 'sale' },
  preauth: { type: 'preauth', stage: 'auth', name: 'preauth' },
  'account-verification': { type: 'account_verification', stage: 'av', name: 'account-verification' },
  // A charge of a stored card is reported as a sale.
  rebill: { type: 'sale', stage: 'sale', name: 'rebill' },
  payout: { type: 'payout', stage: 'payout', name: 'payout' },
  'payout-check': { type: 'payout', stage: 'payout_check', name: 'payout check' },
  transfer: { type: 'transfer', stage: 'transfer', name: 'transfer' },
  'pan-eligibility': { type: 'pan_eligibility', stage: 'pan_eligibility', name: 'pan-eligibility' },
  capture: { type: 'capture', stage: 'capture', name: 'capture' },
  void: { type: 'void', stage: 'void', name: 'void' },
  cancel: { type: 'cancel', stage: 'cancel', name: 'return' },
  reversal: { type: 'reversal', stage: 'reversal', name: 'return' },
} as const;

export type TransactionKind = keyof typeof transactionKinds;

export interface StepFacts {
  /** What a message calls it. */
  readonly name: string;
  /** How order-stage ends (A17). */
  readonly ending: string;
  /** What the payer has to do. */
  readonly payer?: PayerStep;
}

/**
 * The steps a transaction may wait for. `frictionless` is a method step with no challenge after it, `simplified` a visit
 * of the payer to the page in the status reply. A checked payout is `validating`, then `validated` until it is paid
 * (A29).
 */
export const steps = {
  none: { name: 'none', ending: 'processing' },
  form: { name: 'the hosted form', ending: 'starting', payer: 'form' },
  method: { name: '3-D Secure method', ending: '3d_validating', payer: 'method' },
  frictionless: { name: '3-D Secure method', ending: '3d_validating', payer: 'method' },
  challenge: { name: '3-D Secure challenge', ending: '3d_validating', payer: 'challenge' },
  pareq: { name: '3-D Secure 1.0.2 authentication', ending: '3d_validating', payer: 'pareq' },
  simplified: { name: 'the page in the status reply', ending: '3d_validating', payer: 'three-d-secure' },
  validating: { name: 'the payout check', ending: 'validating' },
  validated: { name: 'none', ending: 'validated' },
} as const satisfies Record<string, StepFacts>;

export type Step = keyof typeof steps;

/** What made an order; a recurring payment is no transaction, so that status shows none. */
export type OpeningKind = TransactionKind | 'recurring-registration';

/** The facts of an order that decide which operations may follow. */
export interface OrderFacts {
  /** The kind of its first transaction. A hosted form counts as what it collects. */
  readonly opened: OpeningKind;
  /** Status of the first transaction. */
  readonly status: string;
  /** Step of the first transaction. */
  readonly step: Step;
  /** Whether a follow-up is still processing. */
  readonly following: 'none' | 'processing';
  /**
   * A33: `expired` with nothing captured, `rest-expired` once a part was captured; a hold used up in time expires as
   * well.
   */
  readonly hold: 'none' | 'live' | 'expired' | 'rest-expired';
  readonly captured: 'nothing' | 'part' | 'all';
  /** Of what was settled; of the hold while nothing is captured: `hold` when that was all released. */
  readonly returned: 'nothing' | 'part' | 'all' | 'hold';
  readonly voided: 'no' | 'yes';
  /** A35: `closed` once the day of the last settlement is over. */
  readonly day: 'open' | 'closed';
  /** A29: whether a checked payout was paid, and with which result. */
  readonly paid: 'no' | 'yes' | 'processing' | 'unknown' | 'failed';
  /**
   * Whether it has a card of a payer, and whether a reference to that is kept; `expired` for a kept one that can no
   * longer be charged.
   */
  readonly card: 'none' | 'given' | 'kept' | 'expired';
}

/** What is known of them; what is not known rules nothing out. */
export type KnownFacts = { readonly [Fact in keyof OrderFacts]?: OrderFacts[Fact] | undefined };

/** One thing a follow-up needs of a fact: one of these values. `else` says why not, with facts in braces. */
interface Requirement {
  readonly fact: keyof OrderFacts;
  readonly in: readonly string[];
  readonly else: string;
  /** Asked for only while a switch has this value. */
  readonly when?: Condition;
}

function need<Fact extends keyof OrderFacts>(
  fact: Fact,
  values: readonly OrderFacts[Fact][],
  otherwise: string,
  more: Pick<Requirement, 'when'> = {},
): Requirement {
  return { fact, in: values, else: otherwise, ...more };
}

const under = (name: Condition['switch'], value: string) => ({ when: { switch: name, value } });
const underOne = under('captures-per-hold', 'one');
const oneReturn = under('returns-sum', 'one');
const onlyHolds = under('void-window', 'hold');
const untilCutoff = under('void-window', 'until-cutoff');

const approved = need('status', ['approved'], 'the {opened} {ended}; this requires an approved one');
/** No page waits for the payer and no 3-D Secure step is open. */
const noOpenStep = need(
  'step',
  ['none', 'validating', 'validated'],
  'the {opened} is still waiting for the payer; the open step is: {step}',
);
const quiet = need('following', ['none'], 'an earlier follow-up of this order is still pending or unknown');
const notVoided = need('voided', ['no'], 'the order was voided');
const waits = (open: readonly Step[], what: string): readonly Requirement[] => [
  need('status', ['processing'], 'the {opened} {ended}; no 3-D Secure step is open'),
  need('step', open, `the order is not waiting for ${what}; {open}`),
];
const stored: readonly Requirement[] = [
  need('opened', ['sale', 'preauth', 'account-verification'], '{anOpened} has no card to tokenize'),
  noOpenStep,
  approved,
];
const keptCard: readonly Requirement[] = [
  need('card', ['given', 'kept', 'expired'], 'this {opened} has no payer card'),
  need('card', ['kept', 'expired'], 'its card is not tokenized yet'),
];
const opensOrder = [need('opened', [], 'it creates its own order and cannot be a follow-up of another')];

const transactions = Object.keys(transactionKinds) as TransactionKind[];
const expiredWords = 'the hold expired (A33); nothing is held any more';
const newPayment = 'for more, make a new sale or preauth';
const capturedOnce = 'a hold is captured once, and the rest of it is released (A34)';
const paidOnce = 'a checked payout is paid once (A29)';

/**
 * What each operation requires of the order it follows on, in the order of checking: what rests on an assumption last.
 * One that is not here makes an order of its own, so it cannot follow on one. Amounts are checked elsewhere.
 */
const requirements: Readonly<Record<FollowUpId, readonly Requirement[]>> &
  Partial<Readonly<Record<OperationId, readonly Requirement[]>>> = {
  STATUS: [need('opened', transactions, 'a status query does not show {anOpened}')],
  CARDINFO: keptCard,
  // It makes an order of its own as well, but with the card of another one.
  REBILL: [...keptCard, need('card', ['kept'], 'its card has expired; a rebill needs one that is still valid')],
  CAPTURE: [
    need('opened', ['preauth'], 'only a preauth can be captured, but this is {anOpened}'),
    noOpenStep,
    approved,
    quiet,
    notVoided,
    need('captured', ['nothing', 'part'], `the whole hold was already captured; ${newPayment}`),
    // A return after a capture is of what was captured: it is the capture that released the rest.
    need('captured', ['nothing'], `it was already captured; ${capturedOnce}; ${newPayment}`, underOne),
    // A return of all that was captured leaves the rest of the hold.
    need('returned', ['nothing', 'part', 'all'], 'the hold was released by a return'),
    need('hold', ['live'], `${expiredWords}; ${newPayment}`),
  ],
  VOID: [
    need('opened', ['preauth', 'sale', 'rebill'], '{anOpened} cannot be voided', untilCutoff),
    noOpenStep,
    approved,
    quiet,
    notVoided,
    need('captured', ['nothing'], 'it was already captured', onlyHolds),
    need('returned', ['nothing'], 'it was returned in part or in full, and a void cancels a whole transaction'),
    need('day', ['open'], 'its void window (until 23:59 UTC of the same day) has closed', untilCutoff),
    need('hold', ['live', 'none', 'rest-expired'], expiredWords),
    need('opened', ['preauth'], 'only a hold can be voided, but this is {anOpened} (A35); use return', onlyHolds),
  ],
  RETURN: [
    need('opened', ['preauth', 'sale', 'rebill'], '{anOpened} cannot be returned'),
    noOpenStep,
    need('status', ['approved'], 'the {opened} {ended}, and a return needs a final successful status'),
    quiet,
    notVoided,
    need('returned', ['nothing', 'part'], 'no remaining amount to return'),
    need('hold', ['none', 'live', 'rest-expired'], expiredWords),
    need('returned', ['nothing'], 'a return was made already, and only one is allowed (A36)', oneReturn),
  ],
  CARDREF: stored,
  CARDREF_V4: stored,
  PAYOUT_V4_PAY: [
    need('opened', ['payout-check'], 'only a checked payout can be paid, but this is {anOpened}'),
    // A check makes an order of its own, so nothing of this one blocks it.
    need(
      'paid',
      ['no'],
      `its payment was sent already; ${paidOnce}; for more, check again under a new client order id`,
    ),
    need('status', ['processing'], 'its check {ended}'),
    need('step', ['validated'], 'its check is still running; paying needs order-stage payout_check_validated (A29)'),
  ],
  TDS_UPLOAD_METHOD_URL_RESULT: waits(['method', 'frictionless'], 'a 3-D Secure method result'),
  TDS_UPLOAD_CRES_RESULT: waits(['challenge'], 'a challenge response'),
  TDS_UPLOAD_PARES_RESULT: waits(['pareq'], 'a payer authentication response'),
};

function requirementsOf(id: OperationId): readonly Requirement[] {
  return requirements[id] ?? opensOrder;
}

/** Which step is open, as a message says it. */
export function openStepText(step: Step): string {
  const { name } = steps[step];
  return name === 'none' ? 'no step is open' : `the open step is: ${name}`;
}

/** How a sentence about a transaction ends with its status: `is declined`. */
function endedText(status: string): string {
  if (status === 'error') return 'ended with an error';
  if (status === 'unknown') return 'has an unknown outcome';
  return `is ${status.replaceAll('_', ' ')}`;
}

/** Why an operation may not follow on an order; undefined when it may. */
export function legality(operationId: OperationId, facts: KnownFacts, assume: Assume): string | undefined {
  const broken = requirementsOf(operationId).find(
    (each) => isBroken(each, facts) && (each.when === undefined || assume[each.when.switch] === each.when.value),
  );
  if (broken === undefined) return undefined;
  return whyText(broken, facts);
}

/**
 * Whether something that rests on no assumption keeps an operation from following on an order; `legality` says what.
 * Whether it may follow while another one is pending is for the gateway to decide.
 */
export function isRuledOut(operationId: OperationId, facts: KnownFacts): boolean {
  return requirementsOf(operationId).some(
    (each) => isBroken(each, facts) && each !== quiet && each.when === undefined && !/\(A\d\d\)/.test(each.else),
  );
}

function isBroken({ fact, in: values }: Requirement, facts: KnownFacts): boolean {
  const known = facts[fact];
  return values.length === 0 || (known !== undefined && !values.includes(known));
}

function whyText(broken: Requirement, facts: KnownFacts): string {
  const { opened: kind = 'order', status = '', step = 'none' } = facts;
  const opened = kind === 'recurring-registration' ? 'registration' : kind;
  const words: Readonly<Record<string, string>> = {
    opened,
    ended: endedText(status),
    anOpened: `${/^[aeiou]/.test(opened) ? 'an' : 'a'} ${opened}`,
    step: steps[step].name,
    open: openStepText(step),
  };
  return broken.else.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole);
}

/** The word of order-stage, as replies write it. */
export function stageOf(kind: TransactionKind, status: string, step: Step): string {
  const { stage } = transactionKinds[kind];
  return `${stage}_${status === 'processing' ? steps[step].ending : status}`;
}
