import { fail, suggest } from '../../errors/index.js';
import { knownReplyNames } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';
import { namesIn } from '../format/document.js';
import { resultNamed, type Schema } from '../results.js';

/** Every field that --fields takes of these results; those of a gateway's reply by their own names as well. */
export function fieldNames(schemas: readonly Schema[], isDryRun: boolean): readonly string[] {
  // With --dry-run an operation prints what it would sign.
  const shown: readonly Schema[] = isDryRun && schemas.includes('reply') ? ['sign'] : schemas;
  const names = shown.flatMap((schema) => {
    const { fields = [], list = [], entry = [] } = resultNamed(schema) ?? {};
    return [...entry, ...[list].flat(), ...fields];
  });
  return [...new Set([...names, ...(names.includes('result') ? knownReplyNames : [])])];
}

/**
 * Refuses an unknown field in --fields before the command does anything: afterwards the exit code must tell the
 * outcome. Unknown fields of a gateway reply are selected as `result.NAME`. Throws USAGE.
 */
export function checkNames(select: string | undefined, schemas: readonly Schema[], isDryRun: boolean): void {
  const known = fieldNames(schemas, isDryRun);
  const name = namesIn(select)?.find((each) => !isKnown(each, known));
  if (name === undefined) return;
  const shown = nameableWord(name) ?? 'of that name';
  const available = known.length === 0 ? 'this command prints none' : `available: ${known.join(', ')}`;
  throw fail('USAGE', {
    why: `--fields: there is no field ${shown}${suggest(name, known)}; ${available}`,
    name: shown,
  });
}

/** Also a part of one whose parts are not listed. */
function isKnown(name: string, known: readonly string[]): boolean {
  const [first = ''] = name.split('.');
  return known.includes(name) || (known.includes(first) && !known.some((each) => each.startsWith(`${first}.`)));
}
