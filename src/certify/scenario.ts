import type { RuleId } from '../sandbox/audit/rules.js';
import type { ScriptName } from '../sandbox/callbacks/scripts.js';
import type { FaultName } from '../sandbox/faults.js';
import type { SwitchName } from '../spec/index.js';

/** What a scenario is about; `--only` chooses by it. */
export const tags = ['money', 'callback', '3ds', 'format', 'outage'] as const;
export type Tag = (typeof tags)[number];

/** What a driver may say at its end. */
export const outcomeWords = ['paid', 'declined', 'pending', 'unknown', 'refused'] as const;
export type OutcomeWord = (typeof outcomeWords)[number];

/** What a driver is asked to do. */
export type OrderedOperation = 'sale' | 'capture' | 'return' | 'void' | 'rebill' | `payout${'' | '-check' | '-pay'}`;

/** How the payer behaves at the pages of the bank. */
export type PayerPath = 'frictionless' | 'challenge' | 'fail' | 'abandon';

/** One order that a driver is given. */
export interface ScenarioOrder {
  readonly operation: OrderedOperation;
  /** A published test card, which decides the outcome; `approved` when left out. */
  readonly card?: string;
  readonly amount?: string;
  readonly currency?: string;
  /** Further fields, by their wire names; they replace those of every order. */
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * What is done to the gateway so many milliseconds after the first payment request came: its clock is set forward by
 * `ms`, so that what is due by then happens, such as an approval; or nobody listens at its address for `ms`.
 */
export interface Moment {
  readonly afterRequestMs: number;
  readonly act: 'advance-clock' | 'away';
  readonly ms: number;
}

/** How COMMAND is run: once, or as here. */
export type Runs =
  | { readonly kind: 'once' }
  /** Both at the same time, with the same order. */
  | { readonly kind: 'at-once' }
  /** One after the other, each with its own order. */
  | { readonly kind: 'twice'; readonly second: ScenarioOrder }
  /** Killed so long after its first payment request came, then run again with the same order. */
  | { readonly kind: 'killed'; readonly afterMs: number }
  /** Killed at a random moment within so long after its start, then run again. */
  | { readonly kind: 'killed-anywhere'; readonly withinMs: number };

/** What exists before COMMAND runs; of a settled sale the day of its settlement is over. */
export type Prepared = 'sale' | 'preauth' | 'settled-sale' | 'expired-card';

export interface SetUp {
  /** The fault of the first payment request. */
  readonly fault?: FaultName;
  readonly callbacks?: ScriptName;
  /** How long a transaction stays processing, in milliseconds. */
  readonly settleMs?: number;
  readonly assume?: Partial<Readonly<Record<SwitchName, string>>>;
  /** Nobody listens at the start, for so many milliseconds. */
  readonly awayMs?: number;
  /** The gateway is reached over TLS, and its certificate is that of another host. */
  readonly isOtherHost?: true;
  /** How far the clock of the gateway is ahead of that of the client, in milliseconds. */
  readonly clockAheadMs?: number;
  readonly prepared?: Prepared;
  readonly payer?: PayerPath;
  readonly moment?: Moment;
}

/** What must be true at the end. */
export interface Expectation {
  /** How often money may have moved by what COMMAND did: `[0, 1]` allows both. */
  readonly timesMoneyMoved: readonly number[];
  /** What COMMAND may say at the end; of two runs, the last. */
  readonly reports: readonly OutcomeWord[];
  /** The same for the first of two runs; anything when left out. */
  readonly firstReports?: readonly OutcomeWord[];
  /** Further facts that must hold. */
  readonly checks?: readonly ('no-request' | 'not-redirected' | 'waited' | 'texts')[];
  /** Rules of the audit that the scenario itself breaks. */
  readonly mayBreak?: readonly RuleId[];
}

/**
 * One thing that happens to integrations. `paycli certify COMMAND` starts a gateway for each, gives COMMAND an order,
 * and compares what the gateway booked and what COMMAND reported with what is expected.
 */
export interface Scenario {
  readonly name: string;
  readonly tag: Tag;
  /** What happens, in one line. */
  readonly title: string;
  /** What a client should do. */
  readonly should: string;
  readonly order: ScenarioOrder;
  readonly setUp?: SetUp;
  readonly runs?: Runs;
  readonly expect: Expectation;
}

/** A scenario whose order is a sale, and is paid, where it does not say otherwise; declined where card or payer fail. */
export type ScenarioRow = Omit<Scenario, 'name' | 'tag' | 'order' | 'expect'> &
  Partial<Pick<Scenario, 'order' | 'expect'>>;

/** The scenarios about one matter, by their names. */
export function defineScenarios(tag: Tag, rows: Readonly<Record<string, ScenarioRow>>): readonly Scenario[] {
  return Object.entries(rows).map(([name, row]) => {
    const { order = sale(), setUp } = row;
    const isDeclined = setUp?.payer === 'fail' || ['declined', 'filtered', 'error'].includes(order.card ?? '');
    const usual: Expectation = isDeclined
      ? { timesMoneyMoved: [0], reports: ['declined'] }
      : { timesMoneyMoved: [1], reports: ['paid'] };
    return { expect: usual, ...row, order, name, tag };
  });
}

/** A sale, with a card that has this outcome. */
export function sale(card?: string): ScenarioOrder {
  return { operation: 'sale', ...(card === undefined ? {} : { card }) };
}
