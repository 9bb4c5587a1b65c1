import { type Field, kindOf, type Operation } from '../spec/index.js';

/** The flag of a field, made from its key: `clientOrderId` → `--client-order-id`. Never read back the other way. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A field that a row refuses in any case; it has no line in help, but its flag is known so that the reason can be given. */
export function isForbidden(row: Operation, key: string): boolean {
  return row.rules.some((rule) => rule.rule === 'forbidden' && rule.fields.includes(key));
}

/** What stands behind a flag in help, such as `<10.42>` or `<Y|N|U>`. */
export function placeholderOf(field: Field): string {
  return `<${field.values?.join('|') ?? kindOf(field.kind).placeholder}>`;
}

/** True when a switch decides which flags there are. */
export function isSwitched(row: Operation): boolean {
  return Object.entries(row.fields).some(([key, { when }]) => when !== undefined && !isFromProfile(key));
}

/** A field the user never gives: the profile has it. */
export function isFromProfile(key: string): boolean {
  return key === 'login';
}

/** Maps every accepted spelling of a row's flags (`--client_orderid`, `--cardrefid`) to the one in help. */
export function wireSpellings(row: Operation): ReadonlyMap<string, string> {
  const spellings = new Map<string, string>();
  for (const [key, field] of Object.entries(row.fields)) {
    if (isFromProfile(key)) continue;
    const flag = flagOf(key);
    if (`--${field.wire}` !== flag) spellings.set(`--${field.wire}`, flag);
  }
  return spellings;
}
