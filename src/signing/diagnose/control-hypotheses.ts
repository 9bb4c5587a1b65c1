import { fail } from '../../errors/index.js';
import { orderFaults, plainFaults, rightSteps, type StepFault, type Steps } from './control-steps.js';
import type { ControlCase, ControlHypothesis } from './types.js';

export interface MadeControl extends ControlHypothesis {
  /** All that was hashed, the key included: never shown. */
  readonly text: string;
}

/** The checksum under each mistake that changes it, likeliest first, then under each pair of them. */
export function controlHypotheses(given: ControlCase): Generator<ControlHypothesis> {
  return madeControls(given);
}

/** Throws TEXT_INVALID for a text that UTF-8 cannot carry, naming its field. */
export function rightControl(given: ControlCase): MadeControl {
  const texts = [...given.slots.map(({ wire, value }) => [wire, value] as const), ['control key', given.key] as const];
  for (const [field, text] of texts)
    if (!text.isWellFormed()) throw fail('TEXT_INVALID', { field, why: 'it holds half of a surrogate pair, which UTF-8 cannot carry' });
  return made(given, []);
}

export function* madeControls(given: ControlCase): Generator<MadeControl> {
  const right = rightControl(given);
  const plain = effective(given, plainFaults(given), right);
  for (const { alone } of plain) yield alone;
  const orders = effective(given, distinct(given, orderFaults(given)), right);
  for (const { alone } of orders) yield alone;
  for (const [at, one] of plain.entries()) yield* paired(given, one, plain.slice(at + 1), right);
  for (const one of plain) yield* paired(given, one, orders, right);
}

interface Effective {
  readonly fault: StepFault;
  readonly alone: MadeControl;
}

function effective(given: ControlCase, faults: readonly StepFault[], right: MadeControl): Effective[] {
  return faults.map((fault) => ({ fault, alone: made(given, [fault]) })).filter(({ alone }) => alone.control !== right.control);
}

/** Orders that come to the same text but once. */
function distinct(given: ControlCase, orders: readonly StepFault[]): StepFault[] {
  const texts = orders.map((order) => textOf(given, stepsOf(given, [order])).text);
  return orders.filter((_, at) => texts.indexOf(texts[at] ?? '') === at);
}

/** Pairs of which neither half could be left out. */
function* paired(given: ControlCase, one: Effective, others: readonly Effective[], right: MadeControl): Generator<MadeControl> {
  for (const other of others) {
    if (one.fault.mistake.name === other.fault.mistake.name) continue;
    const both = made(given, [one.fault, other.fault]);
    if (both.control !== right.control && both.control !== one.alone.control && both.control !== other.alone.control) yield both;
  }
}

function made(given: ControlCase, faults: readonly StepFault[]): MadeControl {
  const steps = stepsOf(given, faults);
  const { string, text } = textOf(given, steps);
  const control = steps.write(steps.hash(steps.bytes(text), { string, key: steps.key }));
  return { mistakes: faults.map(({ mistake }) => mistake), string, text, control };
}

/** Two mistakes in the values are made one after the other; any others are in steps of their own. */
function stepsOf(given: ControlCase, faults: readonly StepFault[]): Steps {
  const steps = Object.assign({}, rightSteps(given), ...faults.map((fault) => fault.steps));
  const changes = faults.flatMap(({ steps: { values } }) => values ?? []);
  return { ...steps, values: (slots) => changes.reduce((list, change) => change(list), slots) };
}

function textOf({ slots }: ControlCase, { values, order, key, keyAt }: Steps): { readonly string: string; readonly text: string } {
  const list = order(values(slots)).map(({ value }) => value);
  const string = list.join('');
  return { string, text: keyAt === undefined ? string + key : list.toSpliced(keyAt, 0, key).join('') };
}
