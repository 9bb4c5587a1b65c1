import { exits } from '../../../errors/index.js';
import type { Paint } from '../../../runtime/ports.js';
import type { Diagnosis, Mistake, ParameterRow } from '../../../signing/diagnose/index.js';
import type { Received } from '../../../signing/index.js';
import { allFields, type Field, kindOf } from '../../../spec/index.js';
import { hidden } from '../../../wire/mask.js';
import { printable } from '../../../wire/redact.js';
import type { Reporter } from '../../core/reporter.js';
import { type Layout, oneLine } from '../../format/document.js';
import { recipeWords } from '../../format/signature-stages.js';
import type { Session } from '../../session.js';

/** One thing that is wrong with a request beside the bytes of its signature. */
export interface FormProblem {
  readonly name: string;
  readonly detail: string;
  readonly fix: string;
}

/** The name of a mistake in the key file of our own. */
export const ownKeyDamaged = 'own-key-damaged';

/** Everything that is wrong with a request. */
export interface Finding {
  readonly form: readonly FormProblem[];
  readonly mistakes: readonly Mistake[];
}

/** What was compared, and what came out. */
interface Comparison extends Partial<Finding> {
  readonly what: 'control' | 'signature' | 'base string' | 'text that is hashed';
  readonly of: Pick<Received, 'row' | 'protection'>;
  readonly diagnosis: Diagnosis;
}

/** Prints what a comparison found and gives the exit code. */
export async function reportComparison(comparison: Comparison, session: Session, report: Reporter): Promise<number> {
  const { what, diagnosis, form = [], of } = comparison;
  const { match, mistakes } = diagnosis;
  const { row, protection } = of;
  const recipe = recipeWords(row, protection, session.assume);
  const key = `${session.keyName(protection.scheme)} of profile ${session.name}`;
  const all = match ? [] : (diagnosis.compare?.() ?? []);
  const parameters = session.class === 'sandbox' ? all : all.map(maskRow);
  const facts = { operation: `${row.command} (${row.id})`, recipe, key };
  await report.show({
    isExact: true,
    document: {
      ...{ schema: 'paycli.diagnosis/1', match, mistakes, form, parameters },
      ...{ operation: row.id, profile: session.name, scheme: protection.scheme, recipe, key },
    },
    text: () => present({ what, match, form, mistakes, parameters, facts }, report),
  });
  if (match && form.length === 0) return exits.ok;
  const [first] = [...form, ...mistakes];
  const verdict = match ? 'the request is not as the gateway takes it' : `the ${what} does not match`;
  if (first?.name === ownKeyDamaged) report.becauseOfCheck(first.detail, first.fix);
  else if (first !== undefined) report.becauseOfCheck(`${verdict}: ${first.detail}`, first.fix);
  else report.becauseOfCheck(verdict, 'check the points listed in the result');
  return exits.checkFailed;
}

interface Shown extends Finding {
  readonly what: string;
  readonly match: boolean;
  readonly parameters: readonly ParameterRow[];
  readonly facts: Readonly<Record<string, string>>;
}

function present({ what, match, form, mistakes, parameters, facts }: Shown, report: Layout): string {
  const { paint } = report;
  const verdict = match ? `${paint.good('✓')} the ${what} matches` : `${paint.bad('✗')} the ${what} does not match`;
  const differing = parameters.filter(({ status }) => status !== 'equal');
  return [
    `${verdict}\n${report.columns(Object.entries(facts).map(([label, text]) => [`  ${label}`, printable(text)]))}`,
    ...(form.length + mistakes.length === 0
      ? []
      : [`${paint.bold('What is wrong')}\n${presentFinding({ form, mistakes }, paint)}`]),
    ...(differing.length === 0 ? [] : [`${paint.bold('What differs')}\n${presentRows(differing, report)}`]),
    ...(match || form.length + mistakes.length > 0 ? [] : [nextSteps(what, paint)]),
  ].join('\n');
}

/** Each thing that is wrong, with what to change. */
export function presentFinding({ form, mistakes }: Finding, paint: Paint): string {
  const lines = (name: string, { detail, fix }: Omit<FormProblem, 'name'>) =>
    `  ${paint.warn(name)}: ${oneLine(detail)}\n      change: ${fix}\n`;
  return [
    ...form.map((each) => lines(each.name, each)),
    ...mistakes.map((each) => lines(`${each.name} (${each.variant})`, each)),
  ].join('');
}

function presentRows(rows: readonly ParameterRow[], report: Layout): string {
  const cell = (text: string | null) => (text === null ? '(not signed)' : text === '' ? '(empty)' : printable(text));
  const lines = rows.map(({ name, ours, theirs }) => [`  ${printable(name)}`, cell(theirs), cell(ours)]);
  return report.columns([['  name', 'theirs', 'ours'], ...lines]);
}

/** The commonest cause of all: another value. */
function nextSteps(what: string, paint: Paint): string {
  const head = paint.bold(`No known mistake makes this ${what}; the commonest cause is another value`);
  return `${head}: an id, the amount or another field, nonce and timestamp, or the key\n`;
}

const isCardField = ({ kind }: Field) => ['card', 'secret'].includes(kindOf(kind).secrecy);
const cardNames: ReadonlySet<string> = new Set(allFields.filter(isCardField).map(({ wire }) => wire));
const openNames: ReadonlySet<string> = new Set(
  allFields.map(({ wire }) => wire).filter((wire) => !cardNames.has(wire)),
);

/**
 * A parameter of both sides without card data. A text that could not be taken apart may hold it under any name, and so
 * may every long number under a name that no operation has.
 */
function maskRow(row: ParameterRow): ParameterRow {
  const { name, ours, theirs } = row;
  const isCard = cardNames.has(name);
  const isKnown = openNames.has(name) || /^(?:oauth_\w+|login|endpointId)$/.test(name);
  const mayHoldCard = (text: string) =>
    [...cardNames].some((each) => text.includes(each)) || (!isKnown && /\d{12,}/.test(text));
  const mask = (text: string | null) => (text !== null && (isCard || mayHoldCard(text)) ? hidden : text);
  return { ...row, name: isCard ? name : (mask(name) ?? ''), ours: mask(ours), theirs: mask(theirs) };
}
