import type { Paint } from '../../runtime/ports.js';
import type { Diagnosis, Difference, Mistake } from '../../signing/diagnose/index.js';
import type { Pair } from '../../wire/form.js';
import { printable } from '../../wire/redact.js';
import { columns } from './columns.js';
import { remedyFor } from './remedies.js';
import { oneLine } from './table.js';

/** What was compared, and what to do when nothing known explains the difference. */
export interface Compared {
  readonly what: 'control' | 'signature' | 'control string' | 'base string';
  /** Label and text: operation, recipe, key. */
  readonly facts: readonly (readonly [label: string, text: string])[];
  /** What to look at when no mistake explains it. */
  readonly checks: readonly string[];
  /** Why it was refused, where that is known before any search. */
  readonly reason?: string | undefined;
  /** True when the difference is the one the likeliest mistake makes, and not one that was seen. */
  readonly isSupposed?: boolean;
}

/** The verdict for people: what was compared, where it parts, which mistakes explain it, what to change. */
export function presentDiagnosis(diagnosis: Diagnosis, compared: Compared, paint: Paint): string {
  const { match, difference, taken = [] } = diagnosis;
  const facts = compared.facts.map(([label, text]) => [`  ${label}`, printable(text)]);
  const head = match ? `${paint.good('✓')} the ${compared.what} fits\n` : `${paint.bad('✗')} the ${compared.what} does not fit\n`;
  const adopted = taken.length === 0 ? [] : [['  as in theirs', taken.join(', ')]];
  const reason = match || compared.reason === undefined ? [] : [['  why', printable(compared.reason)]];
  const sections = [`${head}${columns([...facts, ...adopted, ...reason])}`];
  if (match) return `${sections.join('')}${presentRest(compared)}`;
  if (difference !== undefined) sections.push(presentDifference(difference, compared.isSupposed === true, paint));
  if (diagnosis.explanations.length > 0) sections.push(presentExplanations(diagnosis.explanations, paint));
  else if (compared.reason === undefined) sections.push(presentChecks(compared, paint));
  return sections.join('\n');
}

/** A text that fits says nothing yet about the key. */
function presentRest({ what }: Compared): string {
  if (what !== 'base string' && what !== 'control string') return '';
  return `The same text is signed on both sides. What remains is the key, and how the ${what === 'base string' ? 'signature' : 'checksum'} is made and written.\n`;
}

function presentDifference({ of, at, ours, theirs, pair }: Difference, isSupposed: boolean, paint: Paint): string {
  const isHidden = ours === theirs;
  const same = isHidden ? Math.max(0, ours.indexOf('*')) : commonLength(ours, theirs);
  const lead = at > Buffer.byteLength(ours.slice(0, same)) ? '…' : '';
  const caret = `${' '.repeat((lead + printable(ours.slice(0, same))).length)}^`;
  const title = isSupposed
    ? `The likeliest mistake below changes the ${of} at byte ${at}`
    : `The first difference is at byte ${at} of the ${of}`;
  const parts = [
    `${paint.bold(title)}${isHidden ? ', inside card data, which is masked here' : ''}\n`,
    columns([
      ['  ours', lead + marked(ours, same, paint)],
      ['  theirs', lead + marked(theirs, same, paint)],
      ['', paint.warn(caret)],
    ]),
  ];
  return parts.concat(pair === undefined ? [] : presentPairs(pair, paint)).join('');
}

function presentPairs(pair: NonNullable<Difference['pair']>, paint: Paint): string[] {
  const rows = [
    ['  ours', pairText(pair.ours, paint)],
    ['  theirs', pairText(pair.theirs, paint)],
  ];
  return [`${paint.bold('The first parameter that differs')}\n`, columns(rows)];
}

function marked(text: string, same: number, paint: Paint): string {
  return `${printable(text.slice(0, same))}${paint.warn(printable(text.slice(same)))}`;
}

function pairText(pair: Pair | undefined, paint: Paint): string {
  return pair === undefined ? paint.dim('(none)') : `${paint.name(printable(pair[0]))}=${printable(pair[1])}`;
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at += 1) if (one[at] !== other[at]) return at;
  return most;
}

function presentExplanations(explanations: readonly (readonly Mistake[])[], paint: Paint): string {
  const title = explanations.length === 1 ? 'This explains it' : 'Each of these explains it, likeliest first';
  const items = explanations.map((mistakes, at) => {
    const number = explanations.length === 1 ? '' : `${at + 1} `;
    return mistakes.map((mistake, which) => presentMistake(mistake, which === 0 ? number : 'with ', paint)).join('');
  });
  return `${paint.bold(title)}\n${items.join('')}`;
}

function presentMistake(mistake: Mistake, lead: string, paint: Paint): string {
  const { name, variant, detail } = mistake;
  return `  ${lead}${paint.warn(name)} (${variant}): ${oneLine(detail)}\n      change: ${remedyFor(mistake)}\n`;
}

function presentChecks({ checks, what }: Compared, paint: Paint): string {
  const lines = checks.map((check) => `  - ${check}\n`);
  return `${paint.bold(`None of the known mistakes gives this ${what}; check next`)}\n${lines.join('')}`;
}
