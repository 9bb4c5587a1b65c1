import type { Expected } from '../../../batch/expected-content.js';
import { keysByName } from '../../../batch/input/columns.js';
import type { InputFormat } from '../../../batch/input/file-rows.js';
import { type Fault, faultText } from '../../../batch/input/source.js';
import { type StatementField, type StatementSource, statementFields } from '../../../batch/input/statement.js';
import { moneyText, rowsText, type Total } from '../../../batch/plan.js';
import { reasonOf } from '../../../config/file-access.js';
import { fail, ifKnown, isPaycliError, nearest } from '../../../errors/index.js';
import type { Files } from '../../../runtime/ports.js';
import { type Operation, type OperationId, operationNamed, operations } from '../../../spec/index.js';
import { amountReason, isCurrency } from '../../../wire/amount.js';
import { operationsMeant } from '../../core/command-synonyms.js';
import { oneLine } from '../../format/document.js';
import type { Session } from '../../session.js';

export interface PlanFlags {
  readonly operation?: string;
  readonly format?: 'csv' | 'ndjson';
  readonly delimiter?: string;
  readonly map?: readonly string[];
  readonly expectCount?: string;
  readonly expectTotal?: readonly string[];
  readonly allowPanFile?: boolean;
  readonly again?: boolean;
}

/** What the flags of `batch plan` say, checked. */
export interface PlanInput {
  readonly file: string;
  readonly operation: OperationId;
  readonly row: Operation;
  readonly source: Omit<InputFormat, 'elsewhere'>;
  readonly expected: Expected;
  /** --again */
  readonly again: boolean;
  /** The flags that have to confirm what the file holds, and why. */
  readonly missing: MissingFlags;
}

interface MissingFlags {
  readonly flags: readonly string[];
  readonly where: string;
}

const batchOperations: readonly OperationId[] = operations.filter(({ inBatches }) => inBatches).map(({ id }) => id);

interface FlagContext {
  readonly session: Session;
  /** True where somebody looks at the totals before anything may be sent. */
  readonly isAttended: boolean;
}

/** Throws USAGE. */
export function readPlanFlags(file: string, flags: PlanFlags, { session, isAttended }: FlagContext): PlanInput {
  const { id, row } = operationFor(flags.operation);
  const { assume } = session;
  const format = flags.format ?? (/\.(?:ndjson|jsonl)$/i.test(file) ? 'ndjson' : 'csv');
  const naming = { row, assume, map: mapOf(flags.map ?? [], row, session), allowCards: flags.allowPanFile === true };
  const given = {
    count: countIn(flags.expectCount, '--expect-count', planCommand),
    totals: totalsIn(flags.expectTotal, '--expect-total', planCommand),
  };
  const isFree = isAttended || row.effect === 'read';
  const flagsMissing = isFree ? [] : missingIn(given, row);
  // Rows that may do without an amount come to nothing, unless one is named.
  const totals = isFree || flagsMissing.length > 0 ? given.totals : (given.totals ?? {});
  return {
    ...{ file, operation: id, row, source: { format, delimiter: delimiterIn(flags.delimiter), naming } },
    expected: { ...given, totals, isIncomplete: flagsMissing.length > 0 },
    again: flags.again === true,
    missing: { flags: flagsMissing, where: session.class === 'live' ? 'with a live profile' : 'without a terminal' },
  };
}

const planCommand = 'batch plan';

function operationFor(name: string | undefined): { readonly id: OperationId; readonly row: Operation } {
  const names = batchOperations.map(nameOf);
  if (name === undefined)
    throw fail('USAGE', { why: `--operation is missing: one of ${names.join(', ')}`, command: planCommand });
  // On a command line one word is easier: payout-check.
  const wanted = operationNamed(name) ?? operationNamed(name.replaceAll('-', ' '));
  const row = operations.find((each) => each === wanted);
  if (row !== undefined && batchOperations.includes(row.id)) return { id: row.id, row };
  if (row !== undefined && 'cvv' in row.fields)
    throw fail('USAGE', {
      why: `${row.command} needs the security code of the card, which must not be in a file; a batch accepts ${names.join(', ')}`,
      operation: row.command,
      command: planCommand,
    });
  const meant = operationsMeant(name).find((each) => names.includes(each)) ?? nearest(name, names);
  throw fail('USAGE', {
    why: `--operation: use one of ${names.join(', ')}${ifKnown(meant, (meant) => `; did you mean ${meant}?`)}`,
    command: planCommand,
  });
}

function nameOf(id: OperationId): string {
  const row = operations.find((each) => each.id === id);
  return (row?.command ?? id).replace('payout send', 'payout').replaceAll(' ', '-');
}

const separators: Readonly<Record<string, string>> = {
  ',': ',',
  ';': ';',
  tab: '\t',
  '\t': '\t',
  comma: ',',
  semicolon: ';',
};

function delimiterIn(text = ',', command = planCommand): string {
  const found = separators[text];
  if (found === undefined) throw fail('USAGE', { why: "--delimiter: use ',', ';' or tab", command });
  return found;
}

/** The columns that --map names and what it says of them; a column may have = in its name, a field has none. */
function parseMappings(texts: readonly string[], command: string): (readonly [column: string, name: string])[] {
  const pairs = texts.map((text) => {
    const cut = text.lastIndexOf('=');
    const pair = [text.slice(0, Math.max(0, cut)), text.slice(cut + 1)] as const;
    if (pair.includes(''))
      throw fail('USAGE', { why: '--map: use COLUMN=FIELD, such as "Order no=client_orderid"', command });
    return pair;
  });
  if (new Set(pairs.map(([column]) => column)).size < pairs.length)
    throw fail('USAGE', { why: '--map names one column twice', command });
  return pairs;
}

function mapOf(texts: readonly string[], row: Operation, { assume }: Session): Readonly<Record<string, string>> {
  const map: Record<string, string> = {};
  const keys = keysByName({ row, assume });
  for (const [column, name] of parseMappings(texts, planCommand)) {
    const key = keys.get(name);
    if (key === undefined)
      throw fail('USAGE', {
        why: `--map: ${row.command} has no field ${name.slice(0, 40)}${ifKnown(nearest(name, [...keys.keys()]), (meant) => `; did you mean ${meant}?`)}`,
        operation: row.command,
        field: name.slice(0, 40),
        command: planCommand,
      });
    map[column] = key;
  }
  return map;
}

/** A number of rows. Throws USAGE. */
export function countIn(text: string | undefined, flag: string, command: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^(?:0|[1-9]\d{0,8})$/.test(text))
    throw fail('USAGE', { why: `${flag}: use a whole number of rows`, flag, command });
  return Number(text);
}

/** Sums such as EUR=123.45, as decimal text by currency. Throws USAGE. */
export function totalsIn(
  texts: readonly string[] | undefined,
  flag: string,
  command: string,
): Readonly<Record<string, string>> | undefined {
  if (texts === undefined) return undefined;
  const totals: Record<string, string> = {};
  for (const text of texts) {
    const [, currency = '', amount = ''] = /^([A-Z]{3})=(.*)$/.exec(text) ?? [];
    if (!isCurrency(currency) || /^\d{19,}/.test(amount))
      throw fail('USAGE', { why: `${flag}: use a currency and an amount, such as EUR=123.45`, flag, command });
    if (!/^\d{1,18}(?:\.\d{1,4})?$/.test(amount))
      throw fail('USAGE', { why: `${flag}: ${amountReason(amount, `${currency}=10.42`)}`, flag, command });
    if (totals[currency] !== undefined)
      throw fail('USAGE', { why: `${flag} names ${currency} twice`, flag, currency, command });
    totals[currency] = amount;
  }
  return totals;
}

/** Where nobody looks on, what a file comes to must be known from somewhere else. */
function missingIn({ count, totals }: Omit<Expected, 'isIncomplete'>, row: Operation): readonly string[] {
  const hasAmounts = row.fields['amount']?.need === 'required';
  return [
    ...(count === undefined ? ['--expect-count'] : []),
    ...(totals === undefined && hasAmounts ? ['--expect-total'] : []),
  ];
}

/** The error for a valid file that nobody confirmed: names what it holds. */
export function unconfirmedError({ flags, where }: MissingFlags, count: number, totals: readonly Total[]): Error {
  return fail('USAGE', {
    why: `the file is valid and holds ${[rowsText(count), ...totals.map(moneyText)].join(', ')}; ${flags.join(' and ')} ${flags.length === 1 ? 'is' : 'are'} needed ${where}, to confirm that with figures from an independent source`,
    flags: flags.join(' and '),
    command: planCommand,
  });
}

export interface StatementFlags extends Pick<PlanFlags, 'delimiter' | 'map'> {
  readonly currency?: string;
  readonly since?: string;
  readonly until?: string;
}

/** What the flags of `batch reconcile` say about the file. Throws USAGE. */
export function readStatementFlags({ delimiter, map = [], currency }: StatementFlags): StatementSource {
  const command = 'batch reconcile';
  const found: Record<string, StatementField> = {};
  for (const [column, name] of parseMappings(map, command)) {
    const field = statementFields.find(
      (each) => each === name || each.replaceAll('-', '_') === name || (name === 'type' && each === 'status'),
    );
    if (field === undefined)
      throw fail('USAGE', {
        why: `--map: use one of ${statementFields.join(', ')}${ifKnown(nearest(name, statementFields), (meant) => `; did you mean ${meant}?`)}`,
        command,
      });
    found[column] = field;
  }
  if (currency !== undefined && !isCurrency(currency))
    throw fail('USAGE', { why: '--currency: use an ISO 4217 code, such as EUR', command });
  return { delimiter: delimiterIn(delimiter, command), map: found, currency };
}

// The last is a name with NUL in it.
const fileCodes = ['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'EINVAL', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'];

/** Reads a file that the user named; one that cannot be read is wrong usage. Throws USAGE. */
export async function readingInput<T>(file: string, command: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (
      isPaycliError(error) ||
      !(error instanceof Error) ||
      !('code' in error) ||
      !fileCodes.includes(String(error.code))
    )
      throw error;
    throw fail(
      'USAGE',
      { why: `${oneLine(file)}: ${reasonOf(error)}`, file: oneLine(file), command },
      { cause: error },
    );
  }
}

/** Its bytes. Throws as the port does where there is no such file. */
export function sizeOf(path: string, files: Pick<Files, 'facts'>): number {
  const facts = files.facts(path);
  if (facts === undefined) throw Object.assign(new Error(`${path} does not exist`), { code: 'ENOENT' });
  return facts.size;
}

/** The error for a file with so many things wrong, of which these were kept. */
export function invalidFileError(file: string, count: number, first: readonly Fault[], log?: string): Error {
  const lines = first.map(faultText);
  const more = count > first.length ? [`and ${count - first.length} more`] : [];
  const problems = count === 1 ? (lines[0] ?? '') : listText(`${count} errors`, [...lines, ...more]);
  return fail('BATCH_INVALID', {
    file: oneLine(file),
    problems,
    how: `nothing was done; correct the file and repeat the command${ifKnown(log, (errorsFile) => `. All errors: ${errorsFile}`)}`,
    count,
    errorsFile: log,
  });
}

export function listText(head: string, lines: readonly string[]): string {
  const [only] = lines;
  if (only !== undefined && lines.length === 1) return `${head}: ${only}`;
  return `${head}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
