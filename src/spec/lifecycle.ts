import type { Assume } from './assumptions.js';
import type { Condition } from './fields.js';
import type { OperationId } from './operations/index.js';

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

/**
 * The step a transaction waits for; `none` without one. `frictionless` is a method step with no
 * challenge after it, `simplified` a visit of the payer to the page in the status reply. A checked payout is
 * `validating`, then `validated` until it is paid (A29).
 */
export type Step =
  | 'none'
  | 'form'
  | 'method'
  | 'frictionless'
  | 'challenge'
  | 'pareq'
  | 'simplified'
  | 'validating'
  | 'validated';

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

/** One thing a follow-up needs. `else` says why not, with facts in braces. */
interface Requirement {
  readonly fact: keyof OrderFacts;
  readonly in: readonly string[];
  readonly else: string;
  /** What to do instead; said only where that operation may follow, so that no advice leads into the next refusal. */
  readonly instead?: { readonly operation: OperationId; readonly words: string };
  /** Asked for only while a switch has this value. */
  readonly when?: Condition;
}

const approved: Requirement = {
  fact: 'status',
  in: ['approved'],
  else: 'the {opened} {ended}; this requires an approved one',
};
/** No page waits for the payer and no 3-D Secure step is open. */
const noOpenStep: Requirement = {
  fact: 'step',
  in: ['none', 'validating', 'validated'],
  else: 'the {opened} is still waiting for the payer; the open step is: {step}',
};
const quiet: Requirement = {
  fact: 'following',
  in: ['none'],
  else: 'an earlier follow-up of this order is still pending or unknown',
};
const notVoided: Requirement = { fact: 'voided', in: ['no'], else: 'the order was voided' };
const waits = (steps: readonly Step[], what: string): readonly Requirement[] => [
  { fact: 'status', in: ['processing'], else: 'the {opened} {ended}; no 3-D Secure step is open' },
  { fact: 'step', in: steps, else: `the order is not waiting for ${what}; {open}` },
];
const under = (name: Condition['switch'], value: string): { readonly when: Condition } => ({
  when: { switch: name, value },
});
const stored: readonly Requirement[] = [
  { fact: 'opened', in: ['sale', 'preauth', 'account-verification'], else: '{anOpened} has no card to tokenize' },
  noOpenStep,
  approved,
];
const useReturn = { instead: { operation: 'RETURN', words: 'use return' } } as const;
const keptCard: readonly Requirement[] = [
  { fact: 'card', in: ['given', 'kept', 'expired'], else: 'this {opened} has no payer card' },
  {
    fact: 'card',
    in: ['kept', 'expired'],
    else: 'its card is not tokenized yet',
    instead: { operation: 'CARDREF', words: 'tokenize it first to get a card reference' },
  },
];
/** Makes an order of its own, so it cannot follow on one. */
const opens: readonly Requirement[] = [
  { fact: 'opened', in: [], else: 'it creates its own order and cannot be a follow-up of another' },
];

const expiredWords = 'the hold expired (A33); nothing is held any more';
const newPayment = 'for more, make a new sale or preauth';

/**
 * What each operation requires of the order it follows on, in the order of checking: what rests on an assumption last.
 * Amounts are checked elsewhere.
 */
const requirements: Readonly<Record<OperationId, readonly Requirement[]>> = {
  SALE: opens,
  PREAUTH: opens,
  ACCOUNT_VERIFICATION: opens,
  PAYOUT: opens,
  PAYOUT_V4_CHECK: opens,
  TRANSFER_V4: opens,
  CREATE_RP_V4: opens,
  PAN_ELIGIBILITY_SEND: opens,
  SALEFORM: opens,
  PREAUTHFORM: opens,
  PAYMENTFORM: opens,
  PAYOUTFORM: opens,
  ACCOUNT_VERIFICATION_FORM: opens,
  STATUS: [{ fact: 'opened', in: Object.keys(transactionKinds), else: 'a status query does not show {anOpened}' }],
  CARDINFO: keptCard,
  // It makes an order of its own as well, but with the card of another one.
  REBILL: [
    ...keptCard,
    { fact: 'card', in: ['kept'], else: 'its card has expired; a rebill needs one that is still valid' },
  ],
  CAPTURE: [
    { fact: 'opened', in: ['preauth'], else: 'only a preauth can be captured, but this is {anOpened}' },
    noOpenStep,
    approved,
    quiet,
    notVoided,
    { fact: 'captured', in: ['nothing', 'part'], else: `the whole hold was already captured; ${newPayment}` },
    // A return after a capture is of what was captured: it is the capture that released the rest.
    {
      fact: 'captured',
      in: ['nothing'],
      else: `it was already captured; a hold is captured once, and the rest of it is released (A34); ${newPayment}`,
      ...under('captures-per-hold', 'one'),
    },
    // A return of all that was captured leaves the rest of the hold.
    { fact: 'returned', in: ['nothing', 'part', 'all'], else: 'the hold was released by a return' },
    { fact: 'hold', in: ['live'], else: `${expiredWords}; ${newPayment}` },
  ],
  VOID: [
    {
      fact: 'opened',
      in: ['preauth', 'sale', 'rebill'],
      else: '{anOpened} cannot be voided',
      ...under('void-window', 'until-cutoff'),
    },
    noOpenStep,
    approved,
    quiet,
    notVoided,
    {
      fact: 'captured',
      in: ['nothing'],
      else: 'it was already captured',
      ...useReturn,
      ...under('void-window', 'hold'),
    },
    {
      fact: 'returned',
      in: ['nothing'],
      else: 'it was returned in part or in full, and a void cancels a whole transaction',
    },
    {
      fact: 'day',
      in: ['open'],
      else: 'its void window (until 23:59 UTC of the same day) has closed',
      ...useReturn,
      ...under('void-window', 'until-cutoff'),
    },
    { fact: 'hold', in: ['live', 'none', 'rest-expired'], else: expiredWords },
    {
      fact: 'opened',
      in: ['preauth'],
      else: 'only a hold can be voided, but this is {anOpened} (A35)',
      ...useReturn,
      ...under('void-window', 'hold'),
    },
  ],
  RETURN: [
    { fact: 'opened', in: ['preauth', 'sale', 'rebill'], else: '{anOpened} cannot be returned' },
    noOpenStep,
    { ...approved, else: 'the {opened} {ended}, and a return needs a final successful status' },
    quiet,
    notVoided,
    { fact: 'returned', in: ['nothing', 'part'], else: 'no remaining amount to return' },
    { fact: 'hold', in: ['none', 'live', 'rest-expired'], else: expiredWords },
    {
      fact: 'returned',
      in: ['nothing'],
      else: 'a return was made already, and only one is allowed (A36)',
      ...under('returns-sum', 'one'),
    },
  ],
  CARDREF: stored,
  CARDREF_V4: stored,
  PAYOUT_V4_PAY: [
    {
      fact: 'opened',
      in: ['payout-check'],
      else: 'only a checked payout can be paid, but this is {anOpened}',
    },
    {
      fact: 'paid',
      in: ['no', 'processing', 'unknown', 'failed'],
      else: 'it was paid already, and a checked payout is paid once (A29)',
    },
    {
      fact: 'paid',
      in: ['no', 'unknown', 'failed'],
      else: 'its payment is still processing, and a checked payout is paid once (A29)',
    },
    {
      fact: 'paid',
      in: ['no', 'failed'],
      else: 'the outcome of its payment is unknown, and a checked payout is paid once (A29)',
    },
    // A check makes an order of its own, so nothing of this one blocks it.
    {
      fact: 'paid',
      in: ['no'],
      else: 'its payment failed, and a checked payout is paid once (A29); start again with a payout check under a new client order id',
    },
    { fact: 'status', in: ['processing'], else: 'its check {ended}' },
    {
      fact: 'step',
      in: ['validated'],
      else: 'its check is still running; paying needs order-stage payout_check_validated (A29)',
    },
  ],
  TDS_UPLOAD_METHOD_URL_RESULT: waits(['method', 'frictionless'], 'a 3-D Secure method result'),
  TDS_UPLOAD_CRES_RESULT: waits(['challenge'], 'a challenge response'),
  TDS_UPLOAD_PARES_RESULT: waits(['pareq'], 'a payer authentication response'),
};

/** Whether a refusal of this operation may rest on this assumption. */
export function restsOn(operation: string, assumption: { readonly id: string; readonly switch: string }): boolean {
  const [, required = []] = Object.entries(requirements).find(([id]) => id === operation) ?? [];
  return required.some(
    ({ when, else: why }) => when?.switch === assumption.switch || why.includes(`(${assumption.id})`),
  );
}

/** Each step as a message names it. */
const stepNames: Readonly<Record<Step, string>> = {
  none: 'none',
  form: 'the hosted form',
  method: '3-D Secure method',
  frictionless: '3-D Secure method',
  challenge: '3-D Secure challenge',
  pareq: '3-D Secure 1.0.2 authentication',
  simplified: 'the page in the status reply',
  validating: 'the payout check',
  validated: 'none',
};

/** Which step is open, as a message says it. */
export function openStepText(step: Step): string {
  const name = stepNames[step];
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
  return firstBroken(inForce(operationId, assume), facts, assume);
}

/**
 * Whether something that rests on no assumption keeps an operation from following on an order; `legality` says what.
 * Whether it may follow while another one is pending is for the gateway to decide.
 */
export function isRuledOut(operationId: OperationId, facts: KnownFacts, assume: Assume): boolean {
  const certain = requirements[operationId].filter(
    (each) => each !== quiet && each.when === undefined && !/\(A\d\d\)/.test(each.else),
  );
  return firstBroken(certain, facts, assume) !== undefined;
}

function inForce(operationId: OperationId, assume: Assume): readonly Requirement[] {
  return requirements[operationId].filter(({ when }) => when === undefined || assume[when.switch] === when.value);
}

function firstBroken(required: readonly Requirement[], facts: KnownFacts, assume: Assume): string | undefined {
  const broken = required.find(({ fact, in: allowed }) => {
    const known = facts[fact];
    return known !== undefined && !allowed.includes(known);
  });
  if (broken === undefined) return undefined;
  const { instead } = broken;
  const { opened: kind = 'order', status = '', step = 'none' } = facts;
  const opened = kind === 'recurring-registration' ? 'registration' : kind;
  const anOpened = `${/^[aeiou]/.test(opened) ? 'an' : 'a'} ${opened}`;
  const words = {
    ...{ ...facts, opened, anOpened, ended: endedText(status) },
    ...{ step: stepNames[step], open: openStepText(step) },
  };
  const why = broken.else.replace(
    /\{(\w+)\}/g,
    (whole, name: string) => Object.entries(words).find(([fact]) => fact === name)?.[1] ?? whole,
  );
  return instead === undefined || legality(instead.operation, facts, assume) !== undefined
    ? why
    : `${why}; ${instead.words}`;
}

/** The word of order-stage, as replies write it. */
export function stageOf(kind: TransactionKind, status: string, step: Step): string {
  const { stage } = transactionKinds[kind];
  return `${stage}_${status === 'processing' ? endings[step] : status}`;
}

const endings: Readonly<Record<Step, string>> = {
  none: 'processing',
  form: 'starting',
  method: '3d_validating',
  frictionless: '3d_validating',
  challenge: '3d_validating',
  pareq: '3d_validating',
  simplified: '3d_validating',
  validating: 'validating',
  validated: 'validated',
};
