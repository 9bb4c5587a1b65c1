import { isLosslessNumber, parse } from 'lossless-json';
import { pathFrom, printableName, reasonOf } from '../../config/file-access.js';
import { fail, isPaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Assume, type Field, kindOf, type Operation } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import { withoutCardNumbers } from '../../wire/mask.js';
import { flagOf } from '../command.js';
import type { Input } from '../core/common-options.js';
import { type CollectedFields, fieldNamed, isCardData, unknownReason } from './collect.js';

/** Reads what --input names; `options` are all flags of the command. Throws USAGE. */
export async function readInput(place: string, options: object, runtime: Runtime): Promise<Input> {
  const refuse = (why: string): Error => fail('USAGE', { why: `--input ${why}` });
  const { files, terminal } = runtime;
  const isPiped = place === '-';
  const rival = Object.entries(options).find(([name, value]) => name !== 'inputFile' && wantsStdin(name, value))?.[0];
  if (isPiped && rival !== undefined)
    throw refuse(`- and ${flagOf(rival)} both read standard input; use a file for one of them`);
  if (isPiped && terminal.canPrompt)
    throw refuse('- reads standard input, which is a terminal here; pipe the JSON object to it');
  const path = pathFrom(place, files.folders.working, files.folders.home);
  // Until a file is found there, the path is not repeated: it may be a card number, put there by mistake.
  const name = isPiped ? '-' : files.exists(path) ? printableName(path) : 'the file given there';
  let text: string;
  try {
    text = isPiped ? await terminal.readStdin() : files.readText(path);
  } catch (error) {
    throw isPaycliError(error) ? error : refuse(`${name}: ${reasonOf(error)}`);
  }
  const isOpen = !isPiped && files.facts(path)?.isPrivate !== true;
  const unfitForCards = isOpen ? `${name} is readable by other users; run chmod 600 on it` : undefined;
  return { entries: entriesOf(text, refuse), unfitForCards };
}

function wantsStdin(name: string, value: unknown): boolean {
  return (name.endsWith('File') && value === '-') || (name.endsWith('Fd') && value === '0');
}

function entriesOf(text: string, refuse: (why: string) => Error): Input['entries'] {
  let value: unknown;
  let twice: string | undefined;
  try {
    value = parse(text, undefined, {
      onDuplicateKey({ key }) {
        twice = key;
      },
    });
  } catch {
    // The parser's own message quotes the text, which may be a card number.
    throw refuse('is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value))
    throw refuse('does not contain a JSON object');
  if (twice !== undefined) throw refuse(`gives ${labelOf(twice)} twice`);
  return Object.entries(value);
}

/** The entries of --field, each `name=value`. Throws USAGE. */
export function readPairs(given: readonly string[]): Input['entries'] {
  return given.map((text) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined) throw fail('USAGE', { why: '--field: use name=value' });
    return [name, value];
  });
}

/**
 * Adds values by the names of their fields, and mistakes in them; gives the pairs that no field of the row has, where
 * those are allowed. Throws SECRET_UNREADABLE when there is card data among them that others may read.
 */
export function addByName(
  { entries, unfitForCards }: Input,
  from: '--field' | '--input',
  row: Operation,
  { assume, allowUnknown }: { readonly assume: Assume; readonly allowUnknown: boolean },
  collected: CollectedFields,
): readonly Pair[] {
  const names = new Map<string, string>();
  const extra: Pair[] = [];
  for (const [name, value] of entries) {
    const label = labelOf(name);
    const refuse = (why: string) => {
      collected.faults.push(fail('FIELD_INVALID', { problems: `${from}: ${label} ${why}`, command: row.command }));
    };
    const key = fieldNamed(name, row, assume);
    const isUnknown = key === undefined && !allowUnknown;
    const { text, why = '' } = isUnknown
      ? { why: unknownReason(name, row, assume) }
      : textOf(value, key === undefined ? undefined : row.fields[key]);
    const before = key === undefined ? undefined : collected.values[key];
    if (key !== undefined && names.has(key)) refuse(`and ${names.get(key)} are the same field, given twice`);
    else if (text === undefined) refuse(why);
    else if (key === undefined) extra.push([name, text]);
    // Of two flags, which one is meant is unclear; what is in a file or a pipe yields to a flag.
    else if (from === '--field' && before !== undefined && before !== text)
      refuse(`and the ${collected.origins[key] ?? ''} give different values; give one`);
    else {
      names.set(key, label);
      collected.add(key, text, from === '--field' ? `flag --field ${name}` : 'input');
    }
  }
  if (unfitForCards !== undefined && [...names.keys()].some((key) => isCardData(row, key)))
    throw fail('SECRET_UNREADABLE', {
      what: 'card data',
      why: unfitForCards,
      how: 'or send the JSON object through a pipe with --input -',
    });
  return extra;
}

function labelOf(name: string): string {
  return printableName(withoutCardNumbers(name));
}

/** A value as text, or why it is none, which fits after its name. */
function textOf(value: unknown, field: Field | undefined): { readonly text?: string; readonly why?: string } {
  if (value === '' && field !== undefined) return { why: 'is empty; give it a value or leave it out' };
  if (typeof value === 'string') return { text: value };
  if (isLosslessNumber(value)) return { text: value.toString() };
  if (typeof value !== 'boolean')
    return {
      why: value === null ? 'is null; leave it out instead' : 'is an object or array; use a string or a number',
    };
  const word = String(value);
  const isWord =
    field === undefined || field.kind === 'boolean' || field.kind === 'opaque' || field.values?.includes(word) === true;
  return isWord ? { text: word } : { why: `is ${word}; use ${kindOf(field.kind).form}` };
}
