import type { Operation } from '../../spec/index.js';

/**
 * The first example of an operation without the sending flags and the amount of a follow-up, so that it can be signed
 * too, even for an order that is not in the journal.
 */
export function plainExample(row: Operation): string {
  const plain = (row.examples[0] ?? row.command).replace(/ --(?:wait|all)\b/g, '');
  const whole = row.withoutAmount === 'whole order' ? plain.replace(/ --amount \S+/, '') : plain;
  const needsBoth = row.fields['clientOrderId']?.need === 'required';
  return needsBoth ? whole.replace(' $ORDER', ' $ORDER --client-order-id $ID') : whole;
}

/** A help text followed by its examples, which are command lines without the word `paycli`. */
export function withExamples(text: string, examples: readonly string[]): string {
  return examples.length === 0
    ? text
    : `${text}\n\nExamples:\n${examples.map((example) => folded(`  paycli ${example}`)).join('\n')}`;
}

const maxWidth = 80;

/** Breaks a long command line before flags, with shell line continuations. */
function folded(line: string): string {
  const [first = '', ...others] = line.split(/ (?=--)/);
  return others.reduce((text, part, at) => {
    const last = text.slice(text.lastIndexOf('\n') + 1);
    const continues = at === others.length - 1 ? '' : ' \\';
    return `${last} ${part}${continues}`.length <= maxWidth ? `${text} ${part}` : `${text} \\\n      ${part}`;
  }, first);
}
