import { halfOfSurrogatePair } from '../../wire/form.js';
import { hidden } from '../../wire/mask.js';
import { textDifferences } from './all-differences.js';
import { areAlike, type ComputedControl, computeControl } from './computed-control.js';
import { orderMistakes, singleMistakes } from './control-mistakes.js';
import { type ChecksumSteps, correctSteps, type StepMistake } from './control-steps.js';
import {
  type ControlCase,
  type ControlTheirs,
  type Diagnosis,
  diagnosed,
  type Explanation,
  firstDifference,
  matched,
} from './diagnosis.js';

/** Tries every mistake, then every pair of them; `max` bounds how many are tried. */
export function findControlMistakes(
  given: ControlCase,
  control: string,
  { max }: { readonly max?: number } = {},
): Diagnosis {
  if (correctControl(given).control === control) return matched();
  return diagnosed(explanations(given, (made) => made.control === control, max));
}

/** `string` may hold the control key behind its values, or not. */
export function diffControl(given: ControlCase, theirs: ControlTheirs): Diagnosis {
  if ('control' in theirs) return findControlMistakes(given, theirs.control);
  const right = correctControl(given);
  const { string } = theirs;
  if (string === right.string || string === right.text) return matched();
  const found = explanations(
    given,
    (made) => (made.string === string && string !== right.string) || (made.text === string && string !== right.text),
  );
  const behind = string.startsWith(right.string) ? [[behindValues(given, string.slice(right.string.length))]] : [];
  const { ours, theirs: shown } = shownTexts(given, right, string);
  return {
    ...diagnosed(found.length > 0 ? found : behind, firstDifference('control string', ours, shown)),
    differences: textDifferences(ours, shown),
  };
}

/** Single mistakes; pairs only when none alone explains it. */
function explanations(
  given: ControlCase,
  fits: (made: ComputedControl) => boolean,
  max = Number.POSITIVE_INFINITY,
): Explanation[] {
  const found: Explanation[] = [];
  let tried = 0;
  for (const made of controlHypotheses(given)) {
    const isPair = made.mistakes.length > 1;
    if ((isPair && found.some((explanation) => explanation.length === 1)) || tried === max) break;
    if (fits(made)) found.push(made.mistakes);
    tried += 1;
  }
  return found;
}

function behindValues({ key }: ControlCase, rest: string) {
  return rest.trim() === key
    ? ({ name: 'key-whitespace', variant: 'other', detail: 'spaces or line breaks around the key' } as const)
    : ({
        name: 'other-key',
        variant: 'unknown',
        detail: 'the text after the values is not the control key',
      } as const);
}

/** Over the values only: what stands behind them may be a key, known here or not, and is not shown. */
function shownTexts({ key, otherKeys = [] }: ControlCase, right: ComputedControl, theirs: string) {
  const known = [key, ...otherKeys.map((other) => other.key)].filter((text) => text.length > 5);
  const keyless = known.reduce((text, each) => text.replaceAll(each, hidden), theirs);
  const shown = theirs.startsWith(right.string) ? right.string + hidden : keyless;
  return { ours: right.string + (shown.endsWith(hidden) ? hidden : ''), theirs: shown };
}

/** Throws TEXT_INVALID for a text that UTF-8 cannot carry, naming its field. */
function correctControl(given: ControlCase): ComputedControl {
  const texts = [...given.slots.map(({ wire, value }) => [wire, value] as const), ['control key', given.key] as const];
  for (const [field, text] of texts) if (!text.isWellFormed()) throw halfOfSurrogatePair(field);
  return computeControl(given, correctSteps(given), []);
}

/** The checksum under each mistake that changes it, likeliest first, then under each pair of them. */
export function* controlHypotheses(given: ControlCase): Generator<ComputedControl> {
  const right = { control: correctControl(given).control, steps: correctSteps(given) };
  const plain = effective(given, right, singleMistakes(given));
  for (const { alone } of plain) yield alone;
  const orders = effective(given, right, orderMistakes(given));
  for (const { alone } of orders) yield alone;
  const ranked = byRank(plain);
  for (const [at, one] of ranked.entries()) yield* paired(given, right, one, ranked.slice(0, at));
  for (const one of ranked) yield* paired(given, right, one, orders);
}

/** The first of each name first, then the second of each. */
function byRank(list: readonly EffectiveMistake[]): EffectiveMistake[] {
  const counts = new Map<string, number>();
  const ranks = list.map((each) => {
    const rank = counts.get(each.fault.mistake.name) ?? 0;
    counts.set(each.fault.mistake.name, rank + 1);
    return { each, rank };
  });
  return ranks.sort((one, other) => one.rank - other.rank).map(({ each }) => each);
}

interface CorrectChecksum {
  readonly control: string;
  readonly steps: ChecksumSteps;
}

interface EffectiveMistake {
  readonly fault: StepMistake;
  readonly alone: ComputedControl;
}

/** Those that change the checksum, each way of a mistake once. */
function effective(given: ControlCase, right: CorrectChecksum, faults: readonly StepMistake[]): EffectiveMistake[] {
  const seen = new Set<string>();
  return faults.flatMap((fault) => {
    const alone = computeControl(given, right.steps, [fault]);
    const key = `${fault.mistake.name} ${alone.control}`;
    if (alone.control === right.control || seen.has(key) || (fault.isSpare === true && seen.has(alone.control)))
      return [];
    seen.add(key).add(alone.control);
    return [{ fault, alone }];
  });
}

/** Pairs of which neither half could be left out. */
function* paired(
  given: ControlCase,
  right: CorrectChecksum,
  one: EffectiveMistake,
  others: readonly EffectiveMistake[],
): Generator<ComputedControl> {
  for (const other of others) {
    if (areAlike(one.fault, other.fault)) continue;
    const both = computeControl(given, right.steps, [other.fault, one.fault]);
    if (both.control !== right.control && both.control !== one.alone.control && both.control !== other.alone.control)
      yield both;
  }
}
