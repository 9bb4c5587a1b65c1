import * as v from 'valibot';
import { fail, isPaycliError, type PaycliError, problemsText, reasonText, suggest } from '../errors/index.js';
import { kindOf } from '../spec/index.js';
import { parseBaseUrl, parseEndpointId, webAddress } from '../wire/address.js';
import { durationForm, readDuration, readTimeout, timeoutForm } from '../wire/time.js';
import { isMapping, type Mapping, nameOf } from './sanitize.js';
import { outputFormats, profileClasses } from './settings.js';
import { sharedJournalEntries } from './shared-journal.js';

/** Runs a parser of `wire/`; what it throws becomes a problem of this key. */
const parsed = (parse: (text: string) => string) =>
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    try {
      return parse(dataset.value);
    } catch (error) {
      addIssue({ message: isPaycliError(error) ? `is invalid: ${error.message}` : 'is invalid' });
      return NEVER;
    }
  });

// To valibot a list is an object too.
const mappingOr = (message: string) => v.custom<Mapping>(isMapping, message);

const asText = 'use text';
const line = v.pipe(v.string(asText), v.regex(kindOf('text').pattern, `use ${kindOf('text').form}`));
const login = v.pipe(
  v.string('use text: put it in quotes'),
  v.regex(kindOf('login').pattern, `use ${kindOf('login').form}`),
);
const variable = v.pipe(
  v.string(asText),
  v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'use the name of an environment variable that names a file'),
);
const descriptor = v.pipe(
  v.number('use the number of an open file descriptor'),
  v.integer('use a whole number'),
  v.minValue(3, 'use 3 or above'),
);
// The name of an entry, never the key itself: the pattern is narrow to keep keys out.
const account = v.pipe(
  v.string(asText),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/, 'use the name of a keyring entry, such as shop-test/control-key'),
);
const timestamp = v.pipe(
  v.string(asText),
  v.check(
    (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(text) && !Number.isNaN(Date.parse(text)),
    'use a time such as 2026-11-01T09:30:00Z',
  ),
);
const helper = v.pipe(
  v.array(v.pipe(v.string(asText), v.nonEmpty('leave no entry empty')), 'use a list of a program and its arguments'),
  v.minLength(1, 'use the name of a program first'),
);
const asMoney = 'use text such as "500.00 EUR"';
const money = v.union(
  [
    v.pipe(
      v.string(),
      v.transform((text) => [text]),
    ),
    v.array(v.string(asMoney)),
  ],
  `${asMoney}, or a list of them`,
);
const webUrl = v.pipe(
  v.string(asText),
  v.check((text) => webAddress(text) !== undefined, 'use an http or https address'),
);
// A number above 2^53 has already lost its last digits in parsing.
const exact = (value: string | number) => typeof value === 'string' || Number.isSafeInteger(value);
const inDigits = v.pipe(
  v.union([v.string(), v.number()], 'use digits'),
  v.check(exact, 'use a whole number; above 9007199254740991 write it as a string, in quotes'),
  v.transform(String),
);
const endpointId = v.pipe(inDigits, parsed(parseEndpointId));
const seconds = v.pipe(
  v.union([v.string(), v.number()], `use ${timeoutForm}`),
  v.transform((value) => readTimeout(String(value))),
  v.number(`use ${timeoutForm}`),
);
const mapping = v.pipe(mappingOr('use a mapping of names to values'), v.record(v.string(), v.unknown()));
const host = v.pipe(
  v.string(asText),
  v.check(
    (text) => /^[^/@?#*]+$/.test(text) && webAddress(`https://${text}`) !== undefined,
    'use a host name such as gate.example.com',
  ),
);

const profileSchema = v.object({
  class: v.optional(
    v.picklist(profileClasses, (issue) => `use sandbox, test or live${suggest(String(issue.input), profileClasses)}`),
  ),
  'base-url': v.optional(v.pipe(v.string(asText), parsed(parseBaseUrl))),
  login: v.optional(login),
  'endpoint-id': v.optional(endpointId),
  endpoints: v.optional(
    v.pipe(mappingOr('use a mapping of currencies or operations to endpoint ids'), v.record(v.string(), endpointId)),
  ),
  'control-key-file': v.optional(line),
  'control-key-stdin': v.optional(v.boolean('use true or false')),
  'control-key-fd': v.optional(descriptor),
  'control-key-env': v.optional(variable),
  'control-key-keyring': v.optional(account),
  'control-key-since': v.optional(timestamp),
  'control-key-helper': v.optional(helper),
  'private-key-file': v.optional(line),
  'private-key-fd': v.optional(descriptor),
  'private-key-env': v.optional(variable),
  'private-key-keyring': v.optional(account),
  'private-key-helper': v.optional(helper),
  'passphrase-file': v.optional(line),
  'passphrase-env': v.optional(variable),
  'passphrase-fd': v.optional(descriptor),
  'passphrase-keyring': v.optional(account),
  'passphrase-helper': v.optional(helper),
  'ca-file': v.optional(line),
  'server-callback-url': v.optional(webUrl),
  'redirect-url': v.optional(webUrl),
  'notify-url': v.optional(webUrl),
  'ask-first': v.optional(v.picklist(['on', 'off'], 'use on or off')),
  'repeat-window': v.optional(
    v.pipe(
      v.string(asText),
      v.check((text) => readDuration(text) !== undefined, `use ${durationForm}`),
    ),
  ),
  'max-amount': v.optional(money),
  'max-total-per-day': v.optional(money),
  'require-approval': v.optional(v.boolean('use true or false')),
  'approval-above': v.optional(money),
  ...sharedJournalEntries,
  assume: v.optional(mapping),
  defaults: v.optional(mapping),
});

/** The keys a profile may have. */
export const profileKeys: readonly string[] = Object.keys(profileSchema.entries);

const fileSchema = v.object({
  'default-profile': v.optional(line),
  output: v.optional(
    v.picklist(
      outputFormats,
      (issue) => `use one of ${outputFormats.join(', ')}${suggest(String(issue.input), outputFormats)}`,
    ),
  ),
  timeout: v.optional(seconds),
  'live-hosts': v.optional(v.array(host, 'use a list of host names')),
  profiles: v.optional(
    v.pipe(
      mappingOr('use a mapping of names to profiles'),
      v.record(v.string(), v.pipe(mappingOr('use a mapping'), profileSchema)),
    ),
  ),
  defaults: v.optional(mapping),
});

export type ConfigEntries = v.InferOutput<typeof fileSchema>;
export type ProfileEntries = v.InferOutput<typeof profileSchema>;

/**
 * Checks keys and values of a sanitized file. Adds every problem it finds to `problems`; undefined when a value is
 * none.
 */
export function checkSchema(data: Mapping, problems: string[]): ConfigEntries | undefined {
  problems.push(...unknownKeys(data));
  const result = v.safeParse(fileSchema, data);
  if (result.success) return result.output;
  problems.push(...result.issues.map((issue) => reasonText(nameOf(pathOf(issue)), issue.message)));
  return undefined;
}

/** The error for everything wrong with one file. */
export function invalidFile(file: string, problems: readonly string[]): PaycliError {
  return fail('CONFIG_INVALID', { file, problems: problemsText([...new Set(problems)]) });
}

/** `key` is unknown; did one of these mean it? If none is near, `otherwise`. */
export function unknownKey(path: readonly string[], candidates: readonly string[], otherwise = ''): string {
  return `unknown key ${nameOf(path)}${suggest(path.at(-1) ?? '', candidates, otherwise)}`;
}

// Not by strict objects: they stop at the first unknown key.
function unknownKeys(data: Mapping): string[] {
  const profiles = isMapping(data['profiles']) ? Object.entries(data['profiles']) : [];
  return [
    ...keysNotIn([], data, Object.keys(fileSchema.entries)),
    ...profiles.flatMap(([name, profile]) =>
      isMapping(profile) ? keysNotIn(['profiles', name], profile, profileKeys) : [],
    ),
  ];
}

function keysNotIn(path: readonly string[], part: Mapping, known: readonly string[]): string[] {
  return Object.keys(part)
    .filter((key) => !known.includes(key))
    .map((key) => unknownKey([...path, key], known));
}

function pathOf(issue: v.BaseIssue<unknown>): string[] {
  return (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? String(key + 1) : String(key)));
}
