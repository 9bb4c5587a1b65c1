import type { ChecksumSteps, StepMistake } from './control-steps.js';
import type { ControlCase, ControlHypothesis } from './diagnosis.js';

export interface ComputedControl extends ControlHypothesis {
  /** All that was hashed, the key included: never shown. */
  readonly text: string;
  readonly digest: Buffer;
}

export function computeControl(
  given: ControlCase,
  right: ChecksumSteps,
  faults: readonly StepMistake[],
): ComputedControl {
  const [one, other] = faults;
  const steps = { ...right, ...one?.steps, ...other?.steps };
  // Two mistakes in the values are made one after the other; any others are in steps of their own.
  const values = (one?.steps.values ?? right.values)(given.slots);
  const slots = steps.order((other?.steps.values ?? right.values)(values));
  const list = slots.map(({ value }) => value);
  const string = list.join('');
  const text =
    steps.keyAt === undefined ? steps.join(list, steps.key) : list.toSpliced(steps.keyAt, 0, steps.key).join('');
  const digest = steps.hash(steps.bytes(text), { string, key: steps.key });
  const control = steps.write(digest);
  return { mistakes: faults.map(({ mistake }) => mistake), slots, string, text, digest, control };
}

/** Of one name and one step: the second would be in the place of the first. */
export function areAlike(one: StepMistake, other: StepMistake): boolean {
  return (
    one.mistake.name === other.mistake.name && Object.keys(one.steps).some((step) => Object.hasOwn(other.steps, step))
  );
}
