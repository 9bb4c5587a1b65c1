import { type ControlEncoding, controlEncoding, type HmacKeyForm, type Unsigned } from '../../../../signing/index.js';
import { type Assume, type Operation, testNumbers } from '../../../../spec/index.js';
import { maskPairs } from '../../../../wire/redact.js';
import type { Session } from '../../../session.js';

/** A program that sends one request, without the words of any language. It never holds a key. */
export interface CodePlan {
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
type Slot = { readonly variable: string } | { readonly absent: string };

export type OauthPlan =
  | {
      readonly scheme: 'hmac-sha1';
      readonly method: 'HMAC-SHA1';
      readonly keyForm: HmacKeyForm;
      readonly repeatsInBody: boolean;
    }
  | { readonly scheme: 'rsa-sha256'; readonly method: 'RSA-SHA256' };

export type PlannedSigning = ControlPlan | OauthPlan | { readonly scheme: 'none' };

/**
 * Lays out such a program. Card data is asked for at run time, unless it goes to a sandbox or is a published test card;
 * so is everything under a name that the operation does not have, since it may be card data.
 */
export function planCode(
  unsigned: Unsigned,
  { class: kind, login, assume }: Pick<Session, 'class' | 'login' | 'assume'>,
): CodePlan {
  const { row, url, endpointId, protection } = unsigned;
  const slots = protection.scheme === 'control' ? protection.values : [];
  const named = nameFields(unsigned, slots, kind === 'sandbox' || (kind === 'test' && holdsTestCard(unsigned)));
  const isOauth = protection.scheme === 'hmac-sha1' || protection.scheme === 'rsa-sha256';
  const variables: readonly Variable[] = [
    { name: 'endpoint_id', value: { text: endpointId } },
    ...(isOauth || slots.includes('login') ? [{ name: 'login', value: { text: login } }] : []),
    ...named.variables.filter(({ name }) => name !== 'login'),
  ];
  const signing = planSigning(unsigned, variables, assume);
  return {
    row,
    address: url.slice(0, url.lastIndexOf('/') + 1),
    variables,
    fields: named.fields,
    signing,
    isLive: kind === 'live',
  };
}

/** Fields that are signed by name, or asked for, become variables; the others stand in the list as they are. */
function nameFields({ row, pairs, values, minor }: Unsigned, slots: readonly string[], mayHoldCard: boolean) {
  const keyByWire = new Map(Object.entries(row.fields).map(([key, { wire }]) => [wire, key]));
  const shown = maskPairs(row, pairs, { showAccounts: true });
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
      variables.push({
        name: 'amount_minor',
        value: { text: minor },
        remark: 'the same in minor units, for the checksum',
      });
    return { wire, value: { variable: name } };
  });
  return { variables, fields };
}

function planSigning({ row, protection }: Unsigned, variables: readonly Variable[], assume: Assume): PlannedSigning {
  switch (protection.scheme) {
    case 'control': {
      const slots = protection.values.map((key): Slot => {
        const variable = key === 'amount' ? 'amount_minor' : snake(key);
        return variables.some(({ name }) => name === variable)
          ? { variable }
          : { absent: row.fields[key]?.wire ?? key };
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

/** Whether it is signed by OAuth. */
export function isOauth(signing: PlannedSigning): signing is OauthPlan {
  return signing.scheme === 'hmac-sha1' || signing.scheme === 'rsa-sha256';
}

function snake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface KeySource {
  readonly name: string;
  readonly from: string;
  readonly variable: string;
  readonly file: string;
}

const controlKey: KeySource = {
  name: 'merchant control key',
  from: 'the file that CONTROL_KEY_FILE names, or from CONTROL_KEY itself',
  variable: 'CONTROL_KEY_FILE',
  file: 'control.key',
};
const keySources: Readonly<Record<PlannedSigning['scheme'], KeySource | undefined>> = {
  control: controlKey,
  'hmac-sha1': controlKey,
  'rsa-sha256': {
    name: 'RSA private key',
    from: 'the PEM file that PRIVATE_KEY_FILE names',
    variable: 'PRIVATE_KEY_FILE',
    file: 'private.pem',
  },
  none: undefined,
};

/** What a language has of its own to say there. */
export interface IntroductionWords {
  readonly needs: string;
  /** The command that runs the program. */
  readonly run: string;
  /** How it comes by card data, in words that fit before the names of variables. */
  readonly cards: string;
}

/** The remarks a program begins with: what it does, what it needs, where its secrets come from. */
export function introduction(plan: CodePlan, { needs, run, cards }: IntroductionWords): readonly string[] {
  const { row, signing, isLive } = plan;
  const key = keySources[signing.scheme];
  const inputs = inputsOf(plan);
  return [
    `${row.brief} (${row.id}).`,
    ...(isLive && row.effect === 'money' ? ['It targets a live gateway: running it moves real money.'] : []),
    `Needs ${needs}.`,
    ...(key === undefined
      ? []
      : [
          '',
          `This file contains no ${key.name}. It is read from ${key.from}:`,
          `  ${key.variable}=${key.file} ${run}`,
        ]),
    ...(inputs.length === 0 ? [] : ['', `This file contains no card data. It is ${cards} ${inputs.join(', ')}.`]),
    ...(row.effect === 'read'
      ? []
      : [
          '',
          'Without a reply, or with HTTP 5xx, the request may still have been processed. Query its status first, and',
          'do not send it again while the outcome is unknown, not even under another id.',
        ]),
  ];
}

/** How to run it against the sandbox of this user, whose keys are made for the time it runs. */
export function sandboxTrial({ signing }: CodePlan, run: string, compile: string | undefined): string {
  const variable = keySources[signing.scheme]?.variable;
  const command = variable === undefined ? run : `${variable}=$PAYCLI_${variable} ${run}`;
  return `paycli sandbox start --run -- sh -c '${compile === undefined ? '' : `${compile} && `}${command}'`;
}

/** The environment variables of what is asked for. */
export function inputsOf({ variables }: CodePlan): readonly string[] {
  return variables.flatMap(({ name, value }) => ('input' in value ? [name.toUpperCase()] : []));
}

/** What the checksum is made of besides the key, and which of its places are empty. */
export function slotsOf(signing: ControlPlan): {
  readonly variables: readonly string[];
  readonly remark: readonly string[];
} {
  const absent = signing.slots.flatMap((slot) => ('absent' in slot ? [slot.absent] : []));
  return {
    variables: signing.slots.flatMap((slot) => ('variable' in slot ? [slot.variable] : [])),
    remark: absent.length === 0 ? [] : [`Not sent, so empty in the checksum: ${absent.join(', ')}.`],
  };
}

/** Behind a comment mark, without blanks at the ends of lines. */
export function commented(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${mark} ${line}`.trimEnd());
}

/** Parts with an empty line between them; empty ones are passed over. */
export function paragraphs(parts: readonly (string | readonly string[])[]): string {
  const texts = parts.map((part) => (typeof part === 'string' ? part : part.join('\n')));
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`;
}
