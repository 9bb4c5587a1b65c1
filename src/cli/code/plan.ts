import type { ControlEncoding, HmacKeyForm, Unsigned } from '../../signing/index.js';
import { controlEncoding } from '../../signing/index.js';
import { type Assume, type Operation, testNumbers } from '../../spec/index.js';
import { shownPairs } from '../../wire/redact.js';
import type { Session } from '../session.js';

/** A program that sends one request, without the words of any language. It never holds a key. */
export interface Plan {
  readonly row: Operation;
  readonly isLive: boolean;
  /** The URL up to the endpoint id, which follows it. */
  readonly address: string;
  /** What the program gives a name, in this order; `endpoint_id` is always among them. */
  readonly variables: readonly Variable[];
  /** The body, in the order it is sent. */
  readonly fields: readonly PlannedField[];
  readonly signing: PlannedSigning;
}

export interface Variable {
  /** In lower case, such as `client_order_id`. */
  readonly name: string;
  /** `input` is asked for at run time, or taken from the environment under this name in capitals. */
  readonly value: { readonly text: string } | { readonly input: string };
  readonly remark?: string | undefined;
}

export interface PlannedField {
  readonly wire: string;
  readonly value: { readonly text: string } | { readonly variable: string };
}

export interface ControlPlan {
  readonly scheme: 'control';
  readonly slots: readonly Slot[];
  readonly encoding: ControlEncoding;
}

/** What stands in one place of the checksum; a value left out is an empty text there (A06). */
export type Slot = { readonly variable: string } | { readonly absent: string };

export type OauthPlan =
  | { readonly scheme: 'hmac-sha1'; readonly method: 'HMAC-SHA1'; readonly keyForm: HmacKeyForm; readonly repeatsInBody: boolean }
  | { readonly scheme: 'rsa-sha256'; readonly method: 'RSA-SHA256' };

export type PlannedSigning = ControlPlan | OauthPlan | { readonly scheme: 'none' };

/**
 * Lays out such a program. Card data is asked for at run time, unless it goes to a sandbox or is a published test card;
 * so is everything under a name that the operation does not have, since it may be card data.
 */
export function planCode(unsigned: Unsigned, { class: kind, login, assume }: Pick<Session, 'class' | 'login' | 'assume'>): Plan {
  const { row, url, endpointId, protection } = unsigned;
  const slots = protection.scheme === 'control' ? protection.values : [];
  const named = nameFields(unsigned, slots, kind === 'sandbox' || holdsTestCard(unsigned));
  const isOauth = protection.scheme === 'hmac-sha1' || protection.scheme === 'rsa-sha256';
  const variables: readonly Variable[] = [
    { name: 'endpoint_id', value: { text: endpointId } },
    ...(isOauth || slots.includes('login') ? [{ name: 'login', value: { text: login } }] : []),
    ...named.variables.filter(({ name }) => name !== 'login'),
  ];
  const signing = planSigning(unsigned, variables, assume);
  return { row, address: url.slice(0, url.lastIndexOf('/') + 1), variables, fields: named.fields, signing, isLive: kind === 'live' };
}

/** Fields that are signed by name, or asked for, become variables; the others stand in the list as they are. */
function nameFields({ row, pairs, values, minor }: Unsigned, slots: readonly string[], mayHoldCard: boolean) {
  const keyByWire = new Map(Object.entries(row.fields).map(([key, { wire }]) => [wire, key]));
  const shown = shownPairs(row, pairs);
  const variables: Variable[] = [];
  const fields = pairs.map(([wire, text], at): PlannedField => {
    const known = keyByWire.get(wire);
    // A pair from elsewhere may have the name of a field.
    const key = known !== undefined && values[known] === text ? known : undefined;
    const isAsked = !mayHoldCard && shown[at]?.[1] !== text;
    if (!isAsked && (key === undefined || !slots.includes(key))) return { wire, value: { text } };
    const name = key === undefined ? `extra_${at + 1}` : snake(key);
    variables.push({ name, value: isAsked ? { input: wire } : { text } });
    if (key === 'amount' && minor !== undefined)
      variables.push({ name: 'amount_minor', value: { text: minor }, remark: 'the same in minor units, for the checksum' });
    return { wire, value: { variable: name } };
  });
  return { variables, fields };
}

function planSigning({ row, protection }: Unsigned, variables: readonly Variable[], assume: Assume): PlannedSigning {
  switch (protection.scheme) {
    case 'control': {
      const slots = protection.values.map((key): Slot => {
        const variable = key === 'amount' ? 'amount_minor' : snake(key);
        return variables.some(({ name }) => name === variable) ? { variable } : { absent: row.fields[key]?.wire ?? key };
      });
      return { scheme: 'control', slots, encoding: controlEncoding(assume) };
    }
    case 'hmac-sha1': {
      const keyForm = assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded';
      return { scheme: 'hmac-sha1', method: 'HMAC-SHA1', keyForm, repeatsInBody: assume['oauth-in-body'] === 'hmac' };
    }
    case 'rsa-sha256':
      return { scheme: 'rsa-sha256', method: 'RSA-SHA256' };
    case 'none':
      return { scheme: 'none' };
  }
}

function holdsTestCard({ row, pairs }: Unsigned): boolean {
  const wires = new Set(Object.values(row.fields).flatMap(({ kind, wire }) => (kind === 'cardNumber' ? [wire] : [])));
  const numbers = pairs.filter(([wire]) => wires.has(wire)).map(([, text]) => text);
  return numbers.length > 0 && numbers.every((text) => testNumbers.includes(text));
}

function snake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
