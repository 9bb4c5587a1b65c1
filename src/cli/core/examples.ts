import type { Operation } from '../../spec/index.js';

/**
 * The first example of an operation, without the flags of sending: what remains can be signed as well, of an order that
 * is not in the journal too.
 */
export function plainExample(row: Operation): string {
  const plain = (row.examples[0] ?? row.command).replace(/ --(?:wait|all)\b/g, '');
  const needsBoth = row.fields['clientOrderId']?.need === 'required';
  return needsBoth ? plain.replace(' $ORDER', ' $ORDER --client-order-id $ID') : plain;
}

/** A paragraph of help below which its examples stand; each is a command line without the word `paycli`. */
export function withExamples(text: string, examples: readonly string[]): string {
  return examples.length === 0
    ? text
    : `${text}\n\nExamples:\n${examples.map((example) => folded(`  paycli ${example}`)).join('\n')}`;
}

const widest = 80;

/** A long line as a shell takes it on several: broken before flags. */
function folded(line: string): string {
  const [first = '', ...others] = line.split(/ (?=--)/);
  return others.reduce((text, part, at) => {
    const last = text.slice(text.lastIndexOf('\n') + 1);
    const continues = at === others.length - 1 ? '' : ' \\';
    return `${last} ${part}${continues}`.length <= widest ? `${text} ${part}` : `${text} \\\n      ${part}`;
  }, first);
}
