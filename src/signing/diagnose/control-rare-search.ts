import { areAlike, byRank, type ComputedControl, computeControl } from './computed-control.js';
import { type ChecksumSteps, correctSteps, type StepMistake } from './control-steps.js';
import { writtenMistakes } from './control-written-mistakes.js';
import type { ControlCase, Explanation, Mistake } from './diagnosis.js';
import type { ReadDigest } from './digest-readings.js';

type Fits = (made: ComputedControl) => boolean;

/** One mistake of the large tables, by itself or in a digest that was written otherwise. */
export function rareMistake(given: ControlCase, fits: Fits, read: readonly ReadDigest[]): Explanation | undefined {
  const right = correctSteps(given);
  const written = writtenOf(computeControl(given, right, []), read);
  if (written !== undefined) return written;
  for (const fault of writtenMistakes(given)) {
    const made = computeControl(given, right, [fault]);
    if (fits(made)) return made.mistakes;
  }
  return undefined;
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

/** How many of the mistakes of a step are tried beside those of another; the likeliest of each kind come first. */
const maxOf = { values: 200, join: 80, key: 40, bytes: 24, hash: 16 } as const;
type Step = keyof typeof maxOf;
const pairsOfSteps: readonly (readonly [Step, Step])[] = [
  ['values', 'bytes'],
  ['values', 'hash'],
  ['values', 'key'],
  ['join', 'bytes'],
  ['join', 'hash'],
  ['join', 'key'],
  ['key', 'hash'],
  ['key', 'bytes'],
  ['values', 'join'],
];
// In two values: so many that they are only for a deep search.
const deepPairs: typeof pairsOfSteps = [['values', 'values']];

/** Two mistakes in different steps of which at least one is of the large tables, or one of any in another writing. */
export function rarePair(
  given: ControlCase,
  likely: readonly StepMistake[],
  fits: Fits,
  read: readonly ReadDigest[],
  effort: number,
): Explanation | undefined {
  const right = correctSteps(given);
  const all = [...likely, ...writtenMistakes(given)];
  if (read.length > 0)
    for (const fault of all) {
      const found =
        fault.steps.write === undefined ? writtenOf(computeControl(given, right, [fault]), read) : undefined;
      if (found !== undefined) return found;
    }
  const of = (step: Step) => effectiveOf(given, right, all, step).slice(0, maxOf[step] * effort);
  const lists = new Map((Object.keys(maxOf) as Step[]).map((step) => [step, of(step)]));
  const pairs = effort > 1 ? [...pairsOfSteps, ...deepPairs] : pairsOfSteps;
  for (const [one, other] of pairs)
    for (const first of lists.get(one) ?? [])
      for (const second of lists.get(other) ?? []) {
        if (areAlike(first, second)) continue;
        const made = computeControl(given, right, [first, second]);
        if (fits(made)) return made.mistakes;
      }
  return undefined;
}

/** Those of a step that change the checksum, each checksum once. */
function effectiveOf(
  given: ControlCase,
  right: ChecksumSteps,
  all: readonly StepMistake[],
  step: Step,
): readonly StepMistake[] {
  const seen = new Set([computeControl(given, right, []).control]);
  const some = all.filter((fault) => {
    if (fault.steps[step] === undefined) return false;
    const { control } = computeControl(given, right, [fault]);
    if (seen.has(control)) return false;
    seen.add(control);
    return true;
  });
  return byRank(some, ({ mistake }) => `${mistake.name} ${mistake.variant}`);
}
