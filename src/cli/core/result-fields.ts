import { fail, suggest } from '../../errors/index.js';
import { fieldNamed, knownReplyNames, replyFields } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';
import { namesIn } from '../format/document.js';
import type { TemplateName } from '../format/template.js';
import { type Result, resultsNamed, type Schema } from '../results.js';

/** What one run of a command may print. */
interface Choice {
  /** Names of an entry, or of a document without a list; those of a reply without `result.` as well. */
  readonly names: readonly string[];
  /** Those that stand beside a list, and its own name. */
  readonly beside: readonly string[];
  readonly isReply: boolean;
}

/** With --dry-run an operation prints what it would sign. */
function resultsOf(schemas: readonly Schema[], isDryRun: boolean): readonly Result[] {
  return resultsNamed(...(isDryRun && schemas.includes('reply') ? (['sign'] as const) : schemas));
}

function isReplyResult({ schema }: Result): boolean {
  return schema === 'reply';
}

function choiceIn(results: readonly Result[]): Choice {
  const lists = results.filter(({ list }) => list !== undefined);
  const names = results.flatMap(({ fields, entry }) => Object.keys(entry ?? fields));
  return {
    names: [...new Set(names)],
    beside: [...new Set(lists.flatMap(({ list = '', fields }) => [list, ...Object.keys(fields)]))],
    isReply: results.some(isReplyResult),
  };
}

/**
 * Refuses an unknown field in --fields before the command does anything: afterwards the exit code must tell the
 * outcome. Unknown fields of a gateway reply are selected as `result.NAME`. Throws USAGE.
 */
export function checkNames(select: string | undefined, schemas: readonly Schema[], isDryRun: boolean): void {
  const names = namesIn(select) ?? [];
  const choice = choiceIn(resultsOf(schemas, isDryRun));
  const unknown = names.find((name) => !isKnown(choice, name));
  if (unknown !== undefined) throw unknownName('--fields', unknown, choice);
  const whole = names.find((name) => !isOf(choice.names, name) && isOf(choice.beside, name));
  const part = names.find((name) => !isOf(choice.beside, name));
  if (whole === undefined || part === undefined) return;
  throw fail('USAGE', {
    why: `--json and --fields: ${whole} belongs to the document and ${part} to each entry of its list: choose from one of them`,
  });
}

/** The same for what a template names. Inside `{{#list}}…{{/list}}` a name is one of an entry, or of what is around it. */
export function checkTemplateNames(
  names: readonly TemplateName[],
  schemas: readonly Schema[],
  isDryRun: boolean,
): void {
  const choice = choiceIn(resultsOf(schemas, isDryRun));
  const unknown = names.find(({ name, isInside }) => !isInside && name !== '.' && !isKnown(choice, name));
  if (unknown !== undefined) throw unknownName('--template', unknown.name, choice);
}

function isKnown({ names, beside, isReply }: Choice, name: string): boolean {
  if (isReply || names.includes('result')) {
    if (name.startsWith('result.') || knownReplyNames.includes(name)) return true;
  }
  return isOf(names, name) || isOf(beside, name);
}

/** Also a part of one whose parts are not listed. */
function isOf(names: readonly string[], name: string): boolean {
  const first = name.split('.')[0] ?? '';
  return names.includes(name) || (names.includes(first) && !names.some((each) => each.startsWith(`${first}.`)));
}

function unknownName(flags: string, name: string, { names, beside, isReply }: Choice): Error {
  if (names.length === 0) return fail('USAGE', { why: `${flags}: this command prints no fields`, flags });
  const reply = isReply ? `; fields of the reply, as result.NAME: ${knownReplyNames.join(', ')}` : '';
  const around = beside.length > 0 ? `; and beside the list: ${beside.join(', ')}` : '';
  const near = suggest(name, isReply ? [...names, ...knownReplyNames] : names);
  const shown = nameableWord(name) ?? 'of that name';
  return fail('USAGE', {
    why: `${flags}: there is no field ${shown}${near}; available: ${names.join(', ')}${reply}${around}`,
    flags,
    name: shown,
  });
}

/**
 * What `--fields help` prints: every field that --fields takes, by the part of the result it is in, each on a line with
 * its meaning. Throws USAGE for a command that prints no fields.
 */
export function fieldListText(schemas: readonly Schema[], path: string, isDryRun: boolean): string {
  const results = resultsOf(schemas, isDryRun);
  if (results.length === 0) throw fail('USAGE', { why: '--fields: this command prints no fields', flags: '--fields' });
  const parts = results.flatMap(partTexts);
  return `Fields of the result of \`paycli ${path}\`, for --fields\n\n${parts.join('\n')}`;
}

function partTexts(result: Result): readonly string[] {
  const { schema, fields, list, entry = {} } = result;
  if (isReplyResult(result)) {
    const ofGateway = Object.fromEntries(knownReplyNames.map((name) => [name, meaningOfReplyField(name)]));
    const heading = "Fields of the gateway's reply, where it sends them; others it sends are result.NAME";
    return [partText('The result (paycli/1)', fields), partText(heading, ofGateway)];
  }
  if (list === undefined) return [partText(`The result (paycli.${schema}/1)`, fields)];
  return [
    partText(`Each of ${list} (paycli.${schema}/1)`, entry),
    partText(`Beside ${list}`, { [list]: '', ...fields }),
  ];
}

function partText(heading: string, fields: Result['fields']): string {
  const rows = Object.entries(fields);
  const width = Math.max(0, ...rows.filter(([, meaning]) => meaning !== '').map(([name]) => name.length));
  return `${heading}:\n${rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`.trimEnd()).join('\n')}\n`;
}

function meaningOfReplyField(name: string): string {
  const { wire = name, meaning = '' } = fieldNamed(replyFields, name) ?? {};
  return wire === name ? meaning : `${meaning}, in some replies`;
}
