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
  return made(given, rightSteps(given), []);
}

export function* madeControls(given: ControlCase): Generator<MadeControl> {
  const right = { control: rightControl(given).control, steps: rightSteps(given) };
  const plain = effective(given, right, plainFaults(given));
  for (const { alone } of plain) yield alone;
  const orders = effective(given, right, orderFaults(given));
  for (const { alone } of orders) yield alone;
  const ranked = byRank(plain);
  for (const [at, one] of ranked.entries()) yield* paired(given, right, one, ranked.slice(0, at));
  for (const one of ranked) yield* paired(given, right, one, orders);
}

interface Right {
  readonly control: string;
  readonly steps: Steps;
}

interface Effective {
  readonly fault: StepFault;
  readonly alone: MadeControl;
}

/** Those that change the checksum, each way of a mistake once. */
function effective(given: ControlCase, right: Right, faults: readonly StepFault[]): Effective[] {
  const seen = new Set<string>();
  return faults.flatMap((fault) => {
    const alone = made(given, right.steps, [fault]);
    const key = `${fault.mistake.name} ${alone.control}`;
    if (alone.control === right.control || seen.has(key)) return [];
    seen.add(key);
    return [{ fault, alone }];
  });
}

/** The likeliest way of each mistake first, then the second of each. */
function byRank(list: readonly Effective[]): Effective[] {
  const counts = new Map<string, number>();
  const ranked = list.map((member) => {
    const { name } = member.fault.mistake;
    const rank = counts.get(name) ?? 0;
    counts.set(name, rank + 1);
    return { member, rank };
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ member }) => member);
}

/** Pairs of which neither half could be left out. */
function* paired(given: ControlCase, right: Right, one: Effective, others: readonly Effective[]): Generator<MadeControl> {
  for (const other of others) {
    if (one.fault.mistake.name === other.fault.mistake.name) continue;
    const both = made(given, right.steps, [other.fault, one.fault]);
    if (both.control !== right.control && both.control !== one.alone.control && both.control !== other.alone.control) yield both;
  }
}

function made(given: ControlCase, right: Steps, faults: readonly StepFault[]): MadeControl {
  const [one, other] = faults;
  const steps = { ...right, ...one?.steps, ...other?.steps };
  // Two mistakes in the values are made one after the other; any others are in steps of their own.
  const values = (one?.steps.values ?? right.values)(given.slots);
  const list = steps.order((other?.steps.values ?? right.values)(values)).map(({ value }) => value);
  const string = list.join('');
  const text = steps.keyAt === undefined ? string + steps.key : list.toSpliced(steps.keyAt, 0, steps.key).join('');
  const control = steps.write(steps.hash(steps.bytes(text), { string, key: steps.key }));
  return { mistakes: faults.map(({ mistake }) => mistake), string, text, control };
}
