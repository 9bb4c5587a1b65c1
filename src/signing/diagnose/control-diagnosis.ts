import { type MadeControl, madeControls, rightControl } from './control-hypotheses.js';
import { firstDifference } from './difference.js';
import { diagnosed, type Explanation, matched } from './explained.js';
import type { ControlCase, ControlTheirs, Diagnosis } from './types.js';

/** Tries every mistake, then every pair of them; `most` bounds how many are tried. */
export function findControlMistakes(given: ControlCase, control: string, options: { readonly most?: number } = {}): Diagnosis {
  const right = rightControl(given);
  return right.control === control ? matched() : diagnosed(explanations(given, (made) => made.control === control, options.most));
}

/** `string` may hold the control key behind its values, or not. */
export function diffControl(given: ControlCase, theirs: ControlTheirs): Diagnosis {
  if ('control' in theirs) return findControlMistakes(given, theirs.control);
  const right = rightControl(given);
  const { string } = theirs;
  if (string === right.string || string === right.text) return matched();
  const found = explanations(
    given,
    (made) => (made.string === string && string !== right.string) || (made.text === string && string !== right.text),
  );
  const behind = string.startsWith(right.string) ? [[behindValues(given, string.slice(right.string.length))]] : [];
  return diagnosed(found.length > 0 ? found : behind, differenceOf(given, right, string));
}

/** Single mistakes; pairs only when no single one explains it. */
function explanations(given: ControlCase, fits: (made: MadeControl) => boolean, most = Number.POSITIVE_INFINITY): Explanation[] {
  const found: Explanation[] = [];
  let tried = 0;
  for (const made of madeControls(given)) {
    const isPair = made.mistakes.length > 1;
    if ((isPair && found.some((explanation) => explanation.length === 1)) || tried === most) break;
    if (fits(made)) found.push(made.mistakes);
    tried += 1;
  }
  return found;
}

function behindValues({ key }: ControlCase, rest: string) {
  return rest.trim() === key
    ? ({ name: 'key-whitespace', variant: 'other', detail: 'blanks or line ends around the key' } as const)
    : ({ name: 'other-key', variant: 'unknown', detail: 'another text than the control key stands behind the values' } as const);
}

const dots = '•••';

/** Over the values only: what stands behind them may be a key, known here or not, and is not shown. */
function differenceOf({ key, otherKeys = [] }: ControlCase, right: MadeControl, theirs: string): Diagnosis['difference'] {
  const known = [key, ...otherKeys.map((other) => other.key)].filter((text) => text.length > 5);
  const hidden = known.reduce((text, each) => text.replaceAll(each, dots), theirs);
  const shown = theirs.startsWith(right.string) ? right.string + dots : hidden;
  return firstDifference('control string', right.string + (shown.endsWith(dots) ? dots : ''), shown);
}
