import { areAlike, type ComputedControl, computeControl } from './computed-control.js';
import { anyRecipes } from './control-known-words.js';
import { orderMistakes } from './control-mistakes.js';
import { type ChecksumSteps, correctSteps, type StepMistake } from './control-steps.js';
import { writtenMistakes } from './control-written-mistakes.js';
import type { ControlCase, Explanation, Mistake } from './diagnosis.js';
import type { ReadDigest } from './digest-readings.js';
import { byRank } from './ranked.js';

type Fits = (made: ComputedControl) => boolean;

/** How many of the mistakes of a step are tried beside those of another; the likeliest of each kind come first. */
const maxOf = { values: 200, join: 250, key: 80, bytes: 60, hash: 40, order: 40, inValue: 24, likely: 100 } as const;
const maxOfDeep = { values: 1000, join: 500, key: 240, bytes: 200, hash: 120, order: 120, inValue: 1000, likely: 120 };
// Of those that are tried beside a few others alone.
const maxOfMany = { values: 1100, join: 500, key: 300, bytes: 300, hash: 120 } as const;
// The first of them, beside which many values are tried.
const maxOfFew = { key: 12, bytes: 8, hash: 8 } as const;
type List = keyof typeof maxOf | `many ${keyof typeof maxOfMany}` | `few ${keyof typeof maxOfFew}`;
const pairsOfLists: readonly (readonly [List, List])[] = [
  ['order', 'many values'],
  ['order', 'many key'],
  ['order', 'many bytes'],
  ['order', 'many hash'],
  ['order', 'many join'],
  ['order', 'order'],
  ['likely', 'many key'],
  ['likely', 'bytes'],
  ['likely', 'many hash'],
  ['values', 'bytes'],
  ['values', 'hash'],
  ['values', 'key'],
  ['few hash', 'many values'],
  ['few bytes', 'many values'],
  ['few key', 'many values'],
  ['join', 'bytes'],
  ['join', 'hash'],
  ['join', 'key'],
  ['key', 'hash'],
  ['key', 'bytes'],
  ['values', 'join'],
  // In two values: so many that only the likeliest are tried beside all.
  ['inValue', 'many values'],
  ['likely', 'values'],
];
const pairedSteps = ['values', 'join', 'key', 'bytes', 'hash'] as const;

/** What few programs do: one mistake of the large tables, and then two; each is computed once by itself. */
export class ControlRareSearch {
  readonly #given: ControlCase;
  readonly #right: ChecksumSteps;
  readonly #fits: Fits;
  readonly #read: readonly ReadDigest[];
  readonly #alone = new Map<StepMistake, ComputedControl>();
  #tables: readonly StepMistake[] | undefined;

  constructor(given: ControlCase, fits: Fits, read: readonly ReadDigest[]) {
    this.#given = given;
    this.#right = correctSteps(given);
    this.#fits = fits;
    this.#read = read;
  }

  /** One mistake, by itself or in a digest that was written differently. */
  single(): Explanation | undefined {
    const written = writtenOf(computeControl(this.#given, this.#right, []), this.#read);
    if (written !== undefined) return written;
    for (const fault of this.#written()) {
      const made = this.#by(fault);
      if (this.#fits(made)) return made.mistakes;
    }
    return undefined;
  }

  /**
   * Another recipe; two mistakes in different steps of which at least one is of the tables, or one of any in another
   * writing.
   */
  pair(likely: readonly StepMistake[], isDeep: boolean): Explanation | undefined {
    for (const fault of anyRecipes(this.#given)) {
      const made = computeControl(this.#given, this.#right, [fault]);
      if (this.#fits(made)) return made.mistakes;
    }
    const orders = orderMistakes(this.#given);
    const all = [...likely, ...orders, ...this.#written()];
    if (this.#read.length > 0)
      for (const fault of all) {
        const found = fault.steps.write === undefined ? writtenOf(this.#by(fault), this.#read) : undefined;
        if (found !== undefined) return found;
      }
    const lists = this.#lists(all, likely, isDeep);
    for (const [one, other] of pairsOfLists)
      for (const first of lists.get(one) ?? [])
        for (const second of lists.get(other) ?? []) {
          if (areAlike(first, second)) continue;
          const made = computeControl(this.#given, this.#right, [first, second]);
          if (this.#fits(made)) return made.mistakes;
        }
    return undefined;
  }

  #written(): readonly StepMistake[] {
    this.#tables ??= [...writtenMistakes(this.#given)];
    return this.#tables;
  }

  #by(fault: StepMistake): ComputedControl {
    const made = this.#alone.get(fault) ?? computeControl(this.#given, this.#right, [fault]);
    this.#alone.set(fault, made);
    return made;
  }

  #lists(
    all: readonly StepMistake[],
    likely: readonly StepMistake[],
    isDeep: boolean,
  ): ReadonlyMap<List, readonly StepMistake[]> {
    const max = isDeep ? maxOfDeep : maxOf;
    const lists = new Map<List, readonly StepMistake[]>();
    for (const step of pairedSteps) {
      const effective = this.#effective(all, step);
      lists.set(step, effective.slice(0, max[step])).set(`many ${step}`, effective.slice(0, maxOfMany[step]));
      if (step === 'values') lists.set('inValue', effective.slice(0, max.inValue));
      else if (step !== 'join') lists.set(`few ${step}`, effective.slice(0, maxOfFew[step]));
    }
    lists.set('likely', this.#effective(likely, 'values').slice(0, max.likely));
    return lists.set('order', this.#effective(all, 'order').slice(0, max.order));
  }

  /** Those of a step that change the checksum, each once; values that only a separator parts otherwise are others. */
  #effective(all: readonly StepMistake[], step: (typeof pairedSteps)[number] | 'order'): readonly StepMistake[] {
    const right = computeControl(this.#given, this.#right, []);
    const idOf = ({ control, slots }: ComputedControl) => {
      // The place of an empty value tells beside another value for it.
      if (step === 'order') return `${control} ${slots.map(({ name }) => name).join()}`;
      return step === 'values' ? `${control} ${slots.map(({ value }) => value.length).join()}` : control;
    };
    const seen = new Set([idOf(right)]);
    const some = all.filter((fault) => {
      const isOfStep = step === 'order' ? isOfOrder(fault) : fault.steps[step] !== undefined;
      if (!isOfStep) return false;
      const id = idOf(this.#by(fault));
      if (seen.has(id)) return false;
      seen.add(id);
      return true;
    });
    // Separators come in the order of how usual they are.
    return step === 'join' || step === 'order'
      ? some
      : byRank(some, ({ mistake }) => `${mistake.name} ${mistake.variant}`);
  }
}

function isOfOrder({ steps }: StepMistake): boolean {
  return steps.order !== undefined || steps.keyAt !== undefined;
}

/** The mistakes of a checksum of which the digest was read out of theirs, and that of its writing. */
function writtenOf({ digest, mistakes }: ComputedControl, read: readonly ReadDigest[]): Explanation | undefined {
  const found = read.find(({ bytes }) => bytes.equals(digest));
  if (found === undefined) return undefined;
  const { variant, detail } = found.writing;
  const writing: Mistake = {
    name: 'digest',
    variant: `written-${variant}`,
    detail: `the checksum written ${detail}; it must be plain`,
  };
  return [...mistakes, writing];
}
