import { fail } from '../errors/index.js';
import { type Assume, assumeDefaults } from '../spec/index.js';
import { type Minor, readMoney } from '../wire/amount.js';
import { readDuration } from '../wire/time.js';
import type { ConfigContent } from './content.js';
import { endpointNames } from './entries.js';
import type { JournalAddress } from './journal-address.js';
import { type ExplainRow, entriesBelow, type Layer, pick, rowsOf, type Sourced } from './layers.js';
import { assertClassFits, classOfAddress } from './profile-class.js';
import { isSecretKey, type ProfileClass, type SecretSource, variableOf } from './settings.js';

/** Defaults of fields, by the field's key. */
export type Defaults = Readonly<Record<string, Sourced<string>>>;

export interface Money {
  /** By the digits of ISO 4217, whatever the profile assumes about minor units. */
  readonly minor: Minor;
  readonly currency: string;
}

/**
 * The largest payment and the largest sum of a day, at most one amount per currency. Without any there is no cap; else
 * a currency that is not named is refused.
 */
export interface Caps {
  readonly maxAmount: readonly Money[];
  readonly maxTotalPerDay: readonly Money[];
  /** Batches ask a second person: always, or on live above these amounts. */
  readonly requireApproval: boolean;
  readonly approvalAbove: readonly Money[];
}

export const noCaps: Caps = { maxAmount: [], maxTotalPerDay: [], requireApproval: false, approvalAbove: [] };

/** The journal that the users of a profile share. */
export interface SharedJournal extends JournalAddress {
  /** The profile that names it. */
  readonly profile: string;
  readonly key: SecretSource | undefined;
  readonly password: SecretSource | undefined;
}

/** One connection to a gateway, complete and checked. No secret has been read yet. */
export interface Profile {
  readonly name: string;
  readonly class: ProfileClass;
  readonly baseUrl: string;
  readonly login: string;
  readonly endpointId: string | undefined;
  /**
   * The endpoint id for an operation (id or command) in a currency. Throws PROFILE_INCOMPLETE when the profile has none
   * for it.
   */
  endpointFor(operation: string, currency?: string): string;
  readonly controlKey: SecretSource | undefined;
  readonly privateKey: SecretSource | undefined;
  readonly passphrase: SecretSource | undefined;
  readonly caFile: string | undefined;
  /** Whether the gateway is asked about a client order id before the first payment with it. */
  readonly askFirst: 'on' | 'off';
  /** How long an equal payment is taken for a repeat of one that was approved, in milliseconds. */
  readonly repeatWindowMs: number;
  /** The journal of the team; undefined for that of this machine. */
  readonly journal: SharedJournal | undefined;
  /** Largest payment and largest sum of a day; for the live guard. */
  readonly caps: Caps;
  readonly assume: Assume;
  /** Only for the switches that were set. */
  readonly assumeOrigins: Readonly<Record<string, string>>;
  /** Every value in force. */
  readonly rows: readonly ExplainRow[];
}

/**
 * `own` is what the user file says about the profile; undefined for a connection described by variables or flags alone.
 * `given` is what all sources together say. Throws PROFILE_INCOMPLETE or PROFILE_CLASS_MISMATCH.
 */
export function buildProfile(name: string, own: Layer | undefined, given: Layer, user: ConfigContent): Profile {
  const { baseUrl, login } = assertComplete(name, own, given, user);
  const classed = given.class ?? { value: classOfAddress(baseUrl), origin: 'built-in' };
  const isStated = given.class !== own?.class;
  assertClassFits({ name, class: classed.value, baseUrl, isStated }, own, user);
  // An endpoint id from outside the file wins over the file's more specific ones too.
  const isPinned = given['endpoint-id'] !== own?.['endpoint-id'];
  const values: Layer = { ...(isPinned ? pick(given, (key) => !key.startsWith('endpoints.')) : given), class: classed };
  const assumed = entriesBelow(values, 'assume');
  return {
    ...{ name, class: classed.value, baseUrl, login, endpointId: values['endpoint-id']?.value },
    endpointFor: (operation, currency) => endpointFor(name, values, operation, currency),
    controlKey: values['control-key']?.value,
    privateKey: values['private-key']?.value,
    passphrase: values.passphrase?.value,
    caFile: values['ca-file']?.value,
    askFirst: values['ask-first']?.value ?? 'on',
    repeatWindowMs: readDuration(values['repeat-window']?.value ?? '15m') ?? 0,
    journal: sharedJournalIn(name, values),
    caps: {
      maxAmount: moneyIn(values['max-amount']?.value),
      maxTotalPerDay: moneyIn(values['max-total-per-day']?.value),
      requireApproval: values['require-approval']?.value === true,
      approvalAbove: moneyIn(values['approval-above']?.value),
    },
    assume: { ...assumeDefaults, ...Object.fromEntries(assumed.map(([key, { value }]) => [key, value])) },
    assumeOrigins: Object.fromEntries(assumed.map(([key, { origin }]) => [key, origin])),
    rows: rowsOf(values),
  };
}

function endpointFor(name: string, values: Layer, operation: string, currency: string | undefined): string {
  const specific = endpointNames(operation, currency).map((each) => values[`endpoints.${each}`]);
  const id = specific.find((each) => each !== undefined) ?? values['endpoint-id'];
  if (id !== undefined) return id.value;
  throw fail('PROFILE_INCOMPLETE', {
    name,
    lacking: `an endpoint id for ${operation}${currency === undefined ? '' : ` in ${currency}`}`,
    how: 'endpoint-id, or an entry under endpoints, in the profile',
  });
}

function moneyIn(texts: readonly string[] = []): Money[] {
  return texts.map(readMoney).flatMap((one) => (one.ok ? [{ minor: one.minor, currency: one.currency }] : []));
}

/** Undefined where the profile names none. */
export function sharedJournalIn(profile: string, values: Layer): SharedJournal | undefined {
  const { journal, 'journal-key': key, 'journal-password': password } = values;
  return journal && { profile, ...journal.value, key: key?.value, password: password?.value };
}

/** The addresses of a profile win over defaults of the same name. */
export function defaultsIn(values: Layer): Defaults {
  const addresses = {
    serverCallbackUrl: values['server-callback-url'],
    redirectUrl: values['redirect-url'],
    notifyUrl: values['notify-url'],
  };
  const set = Object.entries(addresses).flatMap(([key, address]) => (address === undefined ? [] : [[key, address]]));
  return { ...Object.fromEntries(entriesBelow(values, 'defaults')), ...Object.fromEntries(set) };
}

const required = ['base-url', 'login', 'endpoint-id', 'control-key'] as const;

function assertComplete(
  name: string,
  own: Layer | undefined,
  values: Layer,
  user: ConfigContent,
): { readonly baseUrl: string; readonly login: string } {
  const missing = required.filter((key) => {
    // Some operations need no key, and a profile may have endpoints for single operations only.
    if (key === 'control-key' && own !== undefined) return false;
    return values[key] === undefined && !(key === 'endpoint-id' && entriesBelow(values, 'endpoints').length > 0);
  });
  const { 'base-url': baseUrl, login } = values;
  if (missing.length === 0 && baseUrl !== undefined && login !== undefined)
    return { baseUrl: baseUrl.value, login: login.value };
  // What a connection without a profile lacks is a variable or a flag.
  const flag = (key: string) => `--${key}${isSecretKey(key) ? '-file' : ''}`;
  const nameOf = own !== undefined ? String : name === 'environment' ? variableOf : flag;
  const lacking = missing.map(nameOf).join(', ');
  if (own !== undefined) throw fail('PROFILE_INCOMPLETE', { name, lacking, how: `${lacking} in ${user.path}` });
  const why = `connection settings are missing: ${lacking}`;
  throw fail('PROFILE_INCOMPLETE', {
    name,
    why,
    how: `${lacking}, or name a profile with --profile or PAYCLI_PROFILE`,
  });
}
