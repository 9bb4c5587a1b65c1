import type { ChecksumSteps, StepMistake } from './control-steps.js';
import type { ControlCase, ControlMistakeName, Mistake } from './diagnosis.js';

/** A checksum made under one mistake, or under two. */
export interface ComputedControl {
  readonly mistakes: readonly Mistake<ControlMistakeName>[];
  /** The values in the order they were joined. */
  readonly slots: ControlCase['slots'];
  /** The same joined, without the key. */
  readonly string: string;
  /** All that was hashed, the key included: never shown. */
  readonly text: string;
  readonly control: string;
}

export function computeControl(
  given: ControlCase,
  right: ChecksumSteps,
  faults: readonly StepMistake[],
): ComputedControl {
  const [one, other] = faults;
  const first = one?.steps ?? right;
  const second = other?.steps ?? first;
  const stepOf = <Step extends keyof ChecksumSteps>(step: Step): ChecksumSteps[Step] =>
    (second[step] ?? first[step] ?? right[step]) as ChecksumSteps[Step];
  // Two mistakes in the values are made one after the other; any others are in steps of their own.
  const values = (one?.steps.values ?? right.values)(given.slots);
  const slots = stepOf('order')((other?.steps.values ?? right.values)(values));
  const list = slots.map(({ value }) => value);
  const key = stepOf('key');
  const keyAt = stepOf('keyAt');
  const text = keyAt === undefined ? stepOf('join')(list, key) : list.toSpliced(keyAt, 0, key).join('');
  const string = list.join('');
  const digest = stepOf('hash')(stepOf('bytes')(text), { string, key });
  return { mistakes: faults.map(({ mistake }) => mistake), slots, string, text, control: stepOf('write')(digest) };
}

/** Of one name and one step: the second would be in the place of the first. */
export function areAlike(one: StepMistake, other: StepMistake): boolean {
  return (
    one.mistake.name === other.mistake.name && Object.keys(one.steps).some((step) => Object.hasOwn(other.steps, step))
  );
}
