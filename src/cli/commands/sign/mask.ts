import type { ParameterRow, SignedParameterValue } from '../../../signing/diagnose/index.js';
import { allOperations, kindOf, type Secrecy } from '../../../spec/index.js';
import { maskValue } from '../../../wire/redact.js';

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
export function maskRow(row: ParameterRow): ParameterRow {
  const { name, ours, theirs } = row;
  if (![ours, theirs].some((side) => side !== undefined && isCard(name, side.value))) return row;
  const mask = (side: SignedParameterValue | undefined): SignedParameterValue | undefined => {
    if (side === undefined) return side;
    const value = maskValue(codeNames.has(name) ? 'secret' : 'card', side.value);
    return { ...side, value, signed: `${/^[\w-]*(?:%3D|=)/.exec(side.signed)?.[0] ?? ''}${value}`, odd: [] };
  };
  return { ...row, ours: mask(ours), theirs: mask(theirs) };
}
