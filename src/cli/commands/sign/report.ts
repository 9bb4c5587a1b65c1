import { exits } from '../../../errors/index.js';
import type { Paint } from '../../../runtime/ports.js';
import type { Diagnosis, Mistake, ParameterRow, SignedParameterValue } from '../../../signing/diagnose/index.js';
import type { Received } from '../../../signing/index.js';
import { allOperations, kindOf, type Secrecy } from '../../../spec/index.js';
import { maskValue, printable } from '../../../wire/redact.js';
import type { Reporter } from '../../core/reporter.js';
import { type Layout, oneLine } from '../../format/document.js';
import { presentParameters } from '../../format/parameter-rows.js';
import { recipeWords } from '../../format/signature-stages.js';
import type { Session } from '../../session.js';

/** One thing that is wrong with the form of a request. */
export interface FormProblem {
  readonly name: string;
  readonly detail: string;
  readonly fix: string;
}

/** What was compared, and what came out. */
export interface Comparison {
  readonly what: 'control' | 'signature' | 'base string' | 'text that is hashed';
  /** Label and text: operation, recipe, key. */
  readonly facts: readonly (readonly [label: string, text: string])[];
  readonly document: Readonly<Record<string, unknown>>;
  readonly diagnosis: Diagnosis;
  /** Why it is refused, where that is known before any search. */
  readonly reason?: string | undefined;
  readonly form?: readonly FormProblem[];
  /** Both sides, where it is known what they signed. */
  readonly rows: readonly ParameterRow[];
  /** True where card data may be seen. */
  readonly isOpen: boolean;
}

/** What an operation is compared by. */
export function operationFacts(
  { row, protection }: Pick<Received, 'row' | 'protection'>,
  session: Session,
  key = `${session.keyName(protection.scheme)} of profile ${session.name}`,
): Pick<Comparison, 'facts' | 'document' | 'isOpen'> {
  const recipe = recipeWords(row, protection, session.assume);
  return {
    facts: [
      ['operation', `${row.command} (${row.id})`],
      ['recipe', recipe],
      ['key', key],
    ],
    document: { operation: row.id, profile: session.name, scheme: protection.scheme, recipe, key },
    isOpen: session.class === 'sandbox',
  };
}

/** Prints what a comparison found and gives the exit code. */
export async function reportComparison(comparison: Comparison, report: Reporter): Promise<number> {
  const { what, diagnosis, reason, form = [], document, isOpen } = comparison;
  const { match, mistakes, otherwise } = diagnosis;
  const rows = comparison.rows.map((row) => (isOpen ? row : maskRow(row)));
  await report.show({
    isExact: true,
    document: {
      ...{ schema: 'paycli.diagnosis/1', match, mistakes, otherwise, form, reason: reason ?? null },
      ...{ parameters: rows, ...document },
    },
    text: () => present({ ...comparison, rows }, report),
  });
  if (match && form.length === 0) return exits.ok;
  const [first] = [...form, ...mistakes];
  const verdict = match ? 'the request is not as the gateway takes it' : `the ${what} does not match`;
  if (first !== undefined) report.becauseOfCheck(`${verdict}: ${first.detail}`, first.fix);
  else report.becauseOfCheck(reason ?? verdict, 'check the points listed in the result');
  return exits.checkFailed;
}

function present(comparison: Comparison, report: Layout): string {
  const { paint } = report;
  const { what, diagnosis, reason, facts, rows, form = [] } = comparison;
  const { match, mistakes, otherwise } = diagnosis;
  const verdict = match ? `${paint.good('✓')} the ${what} matches` : `${paint.bad('✗')} the ${what} does not match`;
  const because = match || reason === undefined || mistakes.length > 0 ? [] : [['  reason', printable(reason)]];
  const differing = rows.filter(({ status }) => status !== 'equal');
  const sections = [
    `${verdict}\n${report.columns([...facts.map(([label, text]) => [`  ${label}`, printable(text)]), ...because])}`,
    ...(form.length === 0
      ? []
      : [
          `${paint.bold('The form of the request')}\n${form.map((each) => presentOne(each.name, each, paint)).join('')}`,
        ]),
    ...(mistakes.length === 0
      ? []
      : [`${paint.bold('This explains it')}\n${mistakes.map((each) => presentMistake(each, paint)).join('')}`]),
    ...(otherwise.length === 0
      ? []
      : [
          `${paint.bold('Or it was')}\n${otherwise.map((list) => `  ${list.map(({ name, variant, detail }) => `${name} (${variant}): ${oneLine(detail)}`).join('; with ')}\n`).join('')}`,
        ]),
    ...(differing.length === 0
      ? []
      : [`${paint.bold('What differs')}, theirs beside ours\n${presentParameters(differing, report)}`]),
    ...(match || mistakes.length > 0 || reason !== undefined ? [] : [nextSteps(comparison, paint)]),
  ];
  return sections.join('\n');
}

function presentMistake(mistake: Mistake, paint: Paint): string {
  return presentOne(`${mistake.name} (${mistake.variant})`, mistake, paint);
}

function presentOne(name: string, { detail, fix }: Omit<FormProblem, 'name'>, paint: Paint): string {
  return `  ${paint.warn(name)}: ${oneLine(detail)}\n      change: ${fix}\n`;
}

/** The commonest cause of all: another value. */
function nextSteps({ what }: Comparison, paint: Paint): string {
  return [
    `${paint.bold(`No known mistake makes this ${what}; the commonest cause is another value`)}`,
    '  - the ids, the amount and every other field are those of the refused request, nonce and timestamp too',
    '  - the key is the one that the gateway has for this endpoint',
    '  - the text that was signed, if you can log it: `paycli sign OPERATION … --base-string FILE` shows what differs',
    '',
  ].join('\n');
}

const fields = allOperations.flatMap((row) => Object.values(row.fields));
const namesOf = (secrecy: Secrecy): ReadonlySet<string> =>
  new Set(fields.flatMap(({ kind, wire }) => (kindOf(kind).secrecy === secrecy ? [wire] : [])));
const codeNames = namesOf('secret');
const cardNames: ReadonlySet<string> = new Set([...namesOf('card'), ...codeNames]);
const allNames: ReadonlySet<string> = new Set(fields.map(({ wire }) => wire));

/** True for card data by its name, and for a long number under a name that no operation has. */
function isCard(name: string, value: string): boolean {
  return cardNames.has(name) || (!allNames.has(name) && /\d{12,}/.test(value));
}

/** A parameter of both sides without card data: of a card number the last four digits stay. */
function maskRow(row: ParameterRow): ParameterRow {
  const { name, ours, theirs } = row;
  if (![ours, theirs].some((side) => side !== undefined && isCard(name, side.value))) return row;
  const mask = (side: SignedParameterValue | undefined): SignedParameterValue | undefined => {
    if (side === undefined) return side;
    const value = maskValue(codeNames.has(name) ? 'secret' : 'card', side.value);
    return { ...side, value, signed: `${/^[\w-]*(?:%3D|=)/.exec(side.signed)?.[0] ?? ''}${value}`, odd: [] };
  };
  return { ...row, ours: mask(ours), theirs: mask(theirs) };
}
