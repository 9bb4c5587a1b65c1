import { hash as hashOnce } from 'node:crypto';
import { type ChecksumSteps, type StepMistake, writers } from './control-steps.js';
import type { ControlCase, ControlHypothesis } from './diagnosis.js';

export interface ComputedControl extends ControlHypothesis {
  /** All that was hashed, the key included: never shown. */
  readonly text: string;
  readonly digest: Buffer;
}

/** A search makes ten thousands of these, so each has only what it is compared by; the rest is made when it is read. */
class Computed implements ComputedControl {
  readonly #faults: readonly StepMistake[];
  readonly slots: ControlHypothesis['slots'];
  readonly text: string;
  readonly control: string;
  readonly #digest: Buffer | string;

  constructor(
    faults: readonly StepMistake[],
    slots: ControlHypothesis['slots'],
    text: string,
    control: string,
    digest: Buffer | string,
  ) {
    this.#faults = faults;
    this.slots = slots;
    this.text = text;
    this.control = control;
    this.#digest = digest;
  }

  get mistakes(): ControlHypothesis['mistakes'] {
    return this.#faults.map(({ mistake }) => mistake);
  }

  get string(): string {
    return this.slots.map(({ value }) => value).join('');
  }

  get digest(): Buffer {
    return typeof this.#digest === 'string' ? Buffer.from(this.#digest, 'hex') : this.#digest;
  }
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
  const bytes = stepOf('bytes');
  const hash = stepOf('hash');
  const write = stepOf('write');
  if (bytes === right.bytes && hash === right.hash) {
    // The usual case in one call.
    const hex = hashOnce('sha1', text, 'hex');
    const control = write === writers['hex-lower'] ? hex : write(Buffer.from(hex, 'hex'));
    return new Computed(faults, slots, text, control, hex);
  }
  const digest = hash(bytes(text), { string: list.join(''), key });
  return new Computed(faults, slots, text, write(digest), digest);
}

/** Of one name and one step: the second would be in the place of the first. */
export function areAlike(one: StepMistake, other: StepMistake): boolean {
  return (
    one.mistake.name === other.mistake.name && Object.keys(one.steps).some((step) => Object.hasOwn(other.steps, step))
  );
}
