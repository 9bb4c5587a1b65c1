import type { Result } from './results.js';

// Results of the commands that set paycli up.

const schema = 'name and version of this format';
const ok = 'true if the command ends with exit code 0';
const exit = 'the exit code';
const name = 'name of the profile';
const kind = 'class of the profile: sandbox, test or live';
const baseUrl = 'base address of the gateway';
const isDefault = 'true for the default profile';
const keysSince = 'since when it has this key';

export const profilesResult = {
  schema: 'profiles',
  fields: { schema },
  list: 'profiles',
  entry: {
    name,
    class: kind,
    isDefault,
    baseUrl,
    login: 'merchant login',
    controlKeySince: keysSince,
    privateKeySince: keysSince,
  },
} as const satisfies Result;

export const profileResult = {
  schema: 'profile',
  fields: {
    schema,
    chosenBy: 'what chose the profile',
    profile: name,
    class: kind,
    builtin: 'true for the built-in sandbox',
    baseUrl,
    login: 'merchant login',
    endpointId: 'endpoint, or endpoint group',
    keys: 'its keys, by fingerprint, and why one cannot be used',
    liveGuard: 'what a payment from a live profile needs',
    values: 'every value with where it comes from, and what it hides',
  },
} as const satisfies Result;

export const profileSetResult = {
  schema: 'profile-set',
  fields: { schema, profile: name, file: 'the user file', changed: 'the settings that were changed', isDefault },
} as const satisfies Result;

export const profileKeyResult = {
  schema: 'profile-key',
  fields: {
    schema,
    profile: name,
    key: 'the key: control or private',
    fingerprint: 'fingerprint of the key',
    place: 'where it is stored',
    oldPlace: 'where the old key still is',
    checked: 'true if the gateway accepted it',
    answer: 'what the gateway answered to the check',
    file: 'the user file',
    isSameKey: 'whether the profile had this very key before',
  },
} as const satisfies Result;

export const profileRemovedResult = {
  schema: 'profile-removed',
  fields: {
    schema,
    profile: name,
    file: 'the user file',
    removedKey: 'where the removed key was',
    wasDefault: 'true if it was the default profile',
  },
} as const satisfies Result;

export const initResult = {
  schema: 'init',
  fields: {
    schema,
    ok,
    profile: name,
    class: kind,
    file: 'the user file',
    isDefault,
    baseUrl,
    login: 'merchant login',
    endpointId: 'endpoint, or endpoint group',
    endpoints: 'other endpoints',
    maxAmount: 'largest single payment',
    controlKey: 'where the control key is, and its fingerprint',
    privateKey: 'the RSA key, by fingerprint',
    check: 'what the gateway answered',
    next: 'what to do next',
    exit,
  },
} as const satisfies Result;

const assumption = {
  id: 'id of the assumption',
  switch: 'its name in a profile',
  about: 'what it is about',
  value: 'the active value',
  origin: 'where the value comes from',
  default: 'the default',
  others: 'the other values',
  acts: 'what it applies to: client, sandbox or both',
  source: 'what it is based on',
  dependents: 'commands that depend on it',
};

export const assumptionsResult = {
  schema: 'assumptions',
  fields: { schema, profile: name },
  list: 'assumptions',
  entry: assumption,
} as const satisfies Result;

export const assumptionResult = {
  schema: 'assumption',
  fields: { schema, profile: name, ...assumption },
} as const satisfies Result;

export const supportResult = {
  schema: 'support',
  fields: {
    schema,
    order: 'the ids of the order',
    'order.orderId': 'gateway order id',
    'order.clientOrderId': 'client order id (idempotency key)',
    file: 'the archive',
    bytes: 'its size in bytes',
    sent: 'always false: paycli does not send it anywhere',
  },
  list: 'files',
  entry: { name: 'name of the file', bytes: 'its size in bytes', holds: 'what the file contains' },
} as const satisfies Result;

export const doctorResult = {
  schema: 'doctor',
  fields: { schema, ok, profile: name },
  list: 'checks',
  entry: {
    check: 'what was checked',
    result: 'pass, warn, fail or skip',
    text: 'what was found',
    next: 'what to do about it',
  },
} as const satisfies Result;

export const threedsResult = {
  schema: '3ds',
  fields: {
    schema,
    kind: 'kind of message',
    base64: 'which alphabet of Base64',
    padding: 'its padding',
    packing: 'how it was compressed',
    content: 'json, xml or other',
    fields: 'its fields, card numbers masked',
    wrong: 'what is wrong with it',
    remarks: 'what is unusual',
  },
} as const satisfies Result;

/** By their schema. */
export const setupResults = {
  profiles: profilesResult,
  profile: profileResult,
  'profile-set': profileSetResult,
  'profile-key': profileKeyResult,
  'profile-removed': profileRemovedResult,
  init: initResult,
  assumptions: assumptionsResult,
  assumption: assumptionResult,
  support: supportResult,
  doctor: doctorResult,
  '3ds': threedsResult,
} as const satisfies Readonly<Record<string, Result>>;
