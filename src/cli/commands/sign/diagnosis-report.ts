import { exits } from '../../../errors/index.js';
import type { Paint } from '../../../runtime/ports.js';
import {
  type Diagnosis,
  type Difference,
  type Mistake,
  type OauthCase,
  type OauthTheirs,
  type RemedyContext,
  remedyContext,
  remedyFor,
} from '../../../signing/diagnose/index.js';
import { keyFingerprint, rsaFingerprint, type Unsigned } from '../../../signing/index.js';
import type { Pair } from '../../../wire/form.js';
import { hidden } from '../../../wire/mask.js';
import { printable } from '../../../wire/redact.js';
import type { Reporter } from '../../core/reporter.js';
import type { Layout } from '../../format/document.js';
import { oneLine } from '../../format/document.js';
import { recipeWords } from '../../format/signature-stages.js';
import type { Session } from '../../session.js';
import type { TrimmedPiece } from './inputs.js';
import { maskDifference } from './mask-difference.js';
import { maskDifferences, presentDifferences, presentTrimmed } from './present-differences.js';

/**
 * Prints what a comparison found and gives the exit code. `supposed` is the difference the likeliest mistake makes,
 * where the other side shows no text; it says more than a difference between two signatures.
 */
export async function reportDiagnosis(
  found: Diagnosis,
  comparison: Comparison,
  report: Reporter,
  supposed?: Difference,
): Promise<number> {
  const seen = supposed ?? found.difference;
  const difference = seen === undefined || comparison.open ? seen : maskDifference(seen);
  const diagnosis = {
    ...found,
    ...(difference === undefined ? {} : { difference }),
    ...(found.differences === undefined || comparison.open
      ? {}
      : { differences: maskDifferences(found.differences, comparison.what === 'control string') }),
  };
  const origin = difference === undefined ? {} : { differenceFrom: supposed === undefined ? 'theirs' : 'mistake' };
  await report.show({
    isExact: true,
    document: {
      schema: 'paycli.diagnosis/1',
      ...diagnosis,
      ...(found.mistakes.length === 0 ? {} : { remedies: remediesOf(found, comparison.remedy) }),
      ...origin,
      ...(comparison.trimmed === undefined || comparison.trimmed.length === 0 ? {} : { trimmed: comparison.trimmed }),
      ...comparison.document,
      ...comparison.appendix?.document,
    },
    text: () =>
      presentDiagnosis(diagnosis, { ...comparison, isSupposed: supposed !== undefined }, report) +
      (comparison.appendix?.text(report) ?? ''),
  });
  if (found.match) return exits.ok;
  const [mistake] = found.mistakes;
  const what = `the ${comparison.what} does not match`;
  if (mistake !== undefined) report.becauseOfCheck(`${what}: ${mistake.detail}`, remedyFor(mistake, comparison.remedy));
  else if (comparison.reason === undefined) report.becauseOfCheck(what, 'check the points listed in the result');
  return exits.checkFailed;
}

function remediesOf({ mistakes }: Diagnosis, context: RemedyContext) {
  return mistakes.map(({ name, variant }) => ({ name, variant, change: remedyFor({ name, variant }, context) }));
}

/** What a comparison was about, for its report. */
export interface Comparison extends Compared {
  /** Further keys of the JSON document. */
  readonly document: Readonly<Record<string, unknown>>;
  /** True where card data may be seen. */
  readonly open: boolean;
  /** What is told behind the verdict. */
  readonly appendix?: {
    readonly document: Readonly<Record<string, unknown>>;
    readonly text: (report: Layout) => string;
  };
}

/** A request given by hand. */
export function rawComparison({ method, url, signatureMethod, ...keys }: OauthCase, theirs?: OauthTheirs): Comparison {
  const { secret, privateKey, publicKey } = keys;
  const rsa = privateKey ?? publicKey;
  const fingerprint = rsa === undefined ? keyFingerprint(secret ?? '') : rsaFingerprint(rsa);
  return {
    what: theirs !== undefined && 'baseString' in theirs ? 'base string' : 'signature',
    facts: [
      ['request', `${method} ${url}`],
      ['recipe', `OAuth 1.0a ${signatureMethod} over address, query and body`],
      ['key', `fingerprint ${fingerprint}`],
    ],
    checks: [
      'method, address, nonce, timestamp and every field match the refused request',
      `the key is the one the other side has: fingerprint ${fingerprint}`,
      `the text that was signed, if you can log it: \`paycli sign diff … --theirs-base-string FILE\` shows the first byte that differs`,
    ],
    document: {},
    open: false,
    remedy: { scheme: signatureMethod, keyForm: keys.keyForm },
  };
}

/** A request of an operation. Unless `key` names another one, the key of the session must have been read. */
export function operationComparison(unsigned: Unsigned, session: Session, key?: string): Comparison {
  const { row, protection } = unsigned;
  const used = key ?? `${session.keyName(protection.scheme)} of profile ${session.name}`;
  const recipe = recipeWords(row, protection, session.assume);
  const isControl = protection.scheme === 'control';
  const flag = isControl ? '--theirs-string' : '--theirs-base-string';
  return {
    what: isControl ? 'control' : 'signature',
    facts: [
      ['operation', `${row.command} (${row.id})`],
      ['recipe', recipe],
      ['key', used],
    ],
    checks: [
      `the order ids, the amount and every other field match the refused request${
        isControl ? '' : ', nonce and timestamp too'
      }`,
      `the key is the one the gateway has for this endpoint: ${used}`,
      `the text that was signed, if you can log it: \`paycli sign diff ${row.command} … ${flag} FILE\` shows the first byte that differs`,
      `every stage of ours: \`paycli sign ${row.command} … --explain\``,
    ],
    document: { operation: row.id, profile: session.name, scheme: protection.scheme, recipe, key: used },
    open: session.class === 'sandbox',
    remedy: { ...remedyContext(protection.scheme, session.assume), money: moneyOf(unsigned) },
  };
}

/** A single amount. */
function moneyOf({ values: { amount, currency }, minor, digits }: Unsigned): RemedyContext['money'] {
  if (amount === undefined || currency === undefined || minor === undefined || digits === undefined) return undefined;
  return amount.includes(',') ? undefined : { amount, currency, minor, digits };
}

/** What was compared, and what to do when nothing known explains the difference. */
interface Compared {
  readonly what: 'control' | 'signature' | 'control string' | 'base string';
  /** Label and text: operation, recipe, key. */
  readonly facts: readonly (readonly [label: string, text: string])[];
  /** What to look at when no mistake explains it. */
  readonly checks: readonly string[];
  /** What was left out of their text. */
  readonly trimmed?: readonly TrimmedPiece[] | undefined;
  /** What the advice depends on. */
  readonly remedy: RemedyContext;
  /** Why it was refused, where that is known before any search. */
  readonly reason?: string | undefined;
  /** True when the difference is the one the likeliest mistake makes, and not one that was seen. */
  readonly isSupposed?: boolean;
}

/** The verdict for people: what was compared, where it parts, which mistakes explain it, what to change. */
function presentDiagnosis(diagnosis: Diagnosis, compared: Compared, report: Layout): string {
  const { paint } = report;
  const { match, difference, taken = [] } = diagnosis;
  const facts = compared.facts.map(([label, text]) => [`  ${label}`, printable(text)]);
  const head = match
    ? `${paint.good('✓')} the ${compared.what} matches\n`
    : `${paint.bad('✗')} the ${compared.what} does not match\n`;
  const adopted = taken.length === 0 ? [] : [['  taken from their request', taken.join(', ')]];
  const reason = match || compared.reason === undefined ? [] : [['  reason', printable(compared.reason)]];
  const trimmed = (compared.trimmed?.length ?? 0) === 0 ? '' : presentTrimmed(compared.trimmed ?? [], match);
  const sections = [`${head}${report.columns([...facts, ...adopted, ...reason])}${trimmed}`];
  if (match) return `${sections.join('')}${presentRest(compared)}`;
  if (difference !== undefined) sections.push(presentDifference(difference, compared.isSupposed === true, report));
  const { differences = [] } = diagnosis;
  if (differences.length > 0) sections.push(presentDifferences(differences, report));
  if (diagnosis.explanations.length > 0)
    sections.push(presentExplanations(diagnosis.explanations, compared.remedy, paint));
  else if (compared.reason === undefined) sections.push(presentChecks(compared, paint));
  return sections.join('\n');
}

/** A text that fits says nothing yet about the key. */
function presentRest({ what }: Compared): string {
  if (what !== 'base string' && what !== 'control string') return '';
  return `Both sides sign the same text, so the mistake is in the key, or in how the ${what === 'base string' ? 'signature' : 'checksum'} is computed and encoded.\n`;
}

function presentDifference({ of, at, ours, theirs, pair }: Difference, isSupposed: boolean, report: Layout): string {
  const { paint } = report;
  const isHidden = ours === theirs;
  const same = isHidden ? Math.max(0, ours.indexOf(hidden)) : commonLength(ours, theirs);
  const lead = at > Buffer.byteLength(ours.slice(0, same)) ? '…' : '';
  const caret = `${' '.repeat((lead + printable(ours.slice(0, same))).length)}^`;
  const title = isSupposed
    ? `The likeliest mistake below changes the ${of} at byte ${at}`
    : `The first difference is at byte ${at} of the ${of}`;
  const parts = [
    `${paint.bold(title)}${isHidden ? ', inside card data, which is masked here' : ''}\n`,
    report.columns([
      ['  ours', lead + marked(ours, same, paint)],
      ['  theirs', lead + marked(theirs, same, paint)],
      ['', paint.warn(caret)],
    ]),
  ];
  return parts.concat(pair === undefined ? [] : presentPairs(pair, report)).join('');
}

function presentPairs(pair: NonNullable<Difference['pair']>, report: Layout): string[] {
  const { paint } = report;
  const rows = [
    ['  ours', pairText(pair.ours, paint)],
    ['  theirs', pairText(pair.theirs, paint)],
  ];
  return [`${paint.bold('The first parameter that differs')}\n`, report.columns(rows)];
}

function marked(text: string, same: number, paint: Paint): string {
  return `${printable(text.slice(0, same))}${paint.warn(printable(text.slice(same)))}`;
}

function pairText(pair: Pair | undefined, paint: Paint): string {
  return pair === undefined ? paint.dim('(none)') : `${paint.name(printable(pair[0]))}=${printable(pair[1])}`;
}

function commonLength(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  for (let at = 0; at < max; at += 1) if (one[at] !== other[at]) return at;
  return max;
}

function presentExplanations(
  explanations: readonly (readonly Mistake[])[],
  context: RemedyContext,
  paint: Paint,
): string {
  const title = explanations.length === 1 ? 'This explains it' : 'Each of these explains it, likeliest first';
  const items = explanations.map((mistakes, at) => {
    const number = explanations.length === 1 ? '' : `${at + 1} `;
    return mistakes
      .map((mistake, which) => presentMistake(mistake, which === 0 ? number : 'with ', context, paint))
      .join('');
  });
  return `${paint.bold(title)}\n${items.join('')}`;
}

function presentMistake(mistake: Mistake, lead: string, context: RemedyContext, paint: Paint): string {
  const { name, variant, detail } = mistake;
  return [
    `  ${lead}${paint.warn(name)} (${variant}): ${oneLine(detail)}`,
    `      change: ${remedyFor(mistake, context)}`,
    '',
  ].join('\n');
}

function presentChecks({ checks, what }: Compared, paint: Paint): string {
  const lines = checks.map((check) => `  - ${check}\n`);
  return `${paint.bold(`No known mistake produces this ${what}; check next`)}\n${lines.join('')}`;
}
