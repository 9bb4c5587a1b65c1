import { fail, ifKnown, isPaycliError, nearest, problemsText, suggest } from '../errors/index.js';
import type { Env } from '../runtime/ports.js';
import { kindOf } from '../spec/index.js';
import { parseBaseUrl, parseEndpointId } from '../wire/address.js';
import { secretIn } from '../wire/secret-names.js';
import { readTimeout, timeoutForm } from '../wire/time.js';
import { printableName } from './file-access.js';
import {
  type Draft,
  isOutputFormat,
  type OutputFormat,
  outputFormats,
  profileClasses,
  type SecretKey,
  type SecretSource,
  type Sourced,
  type TextKey,
} from './settings.js';

type Parse = (text: string) => string;

const oneOf =
  (values: readonly string[]): Parse =>
  (text) => {
    if (!values.includes(text))
      throw fail('FIELD_INVALID', {
        problems: `use one of ${values.join(', ')}${ifKnown(nearest(text, values), (meant) => `; did you mean ${meant}?`)}`,
      });
    return text;
  };

const login: Parse = (text) => {
  const { pattern, form } = kindOf('login');
  if (!pattern.test(text)) throw fail('FIELD_INVALID', { problems: `use ${form}` });
  return text;
};

const texts: Readonly<Record<string, readonly [TextKey, Parse]>> = {
  PAYCLI_CLASS: ['class', oneOf(profileClasses)],
  PAYCLI_BASE_URL: ['base-url', parseBaseUrl],
  PAYCLI_LOGIN: ['login', login],
  PAYCLI_ENDPOINT_ID: ['endpoint-id', parseEndpointId],
  PAYCLI_ASK_FIRST: ['ask-first', oneOf(['on', 'off'])],
};

const secrets: Readonly<Record<string, SecretKey>> = {
  PAYCLI_CONTROL_KEY_FILE: 'control-key',
  PAYCLI_PRIVATE_KEY_FILE: 'private-key',
};

/** With any of these set, the environment describes a connection. */
const connection = [...Object.keys(texts), ...Object.keys(secrets)].filter((name) => name !== 'PAYCLI_ASK_FIRST');

/** Every variable paycli reads. */
const variables = [
  'PAYCLI_PROFILE',
  ...connection,
  'PAYCLI_ASK_FIRST',
  'PAYCLI_CONFIG_DIR',
  'PAYCLI_STATE_DIR',
  'PAYCLI_OUTPUT',
  'PAYCLI_NO_INPUT',
  'PAYCLI_SANDBOX',
  'PAYCLI_CALLBACK_URL',
  'PAYCLI_TIMEOUT',
];

export interface EnvironmentSettings {
  readonly profile: Sourced<string> | undefined;
  readonly draft: Draft;
  /** The connection variables that are set. */
  readonly connection: readonly string[];
  readonly output: Sourced<OutputFormat> | undefined;
  readonly timeoutSeconds: Sourced<number> | undefined;
  readonly noInput: Sourced<boolean> | undefined;
}

/**
 * Reads the PAYCLI_ variables. One that names a profile or a connection and is empty is refused: a script whose secret
 * is missing must not end up elsewhere. Throws ENVIRONMENT_INVALID; no message repeats a value.
 */
export function readEnvironment(env: Env): EnvironmentSettings {
  const problems = ['PAYCLI_PROFILE', ...connection]
    .filter((name) => env[name] === '')
    .map((name) => `${name}: it is set but empty`);
  const secret = secretIn(env['PAYCLI_PROFILE'] ?? '');
  if (secret !== undefined) problems.push(`PAYCLI_PROFILE: it looks like ${secret}, which is not a valid name`);
  const settings: EnvironmentSettings = {
    profile: readVariable(env, 'PAYCLI_PROFILE'),
    draft: draftOf(env, problems),
    connection: connection.filter((name) => env[name] !== undefined),
    output: outputOf(env, problems),
    timeoutSeconds: timeoutOf(env, problems),
    noInput: noInputOf(env),
  };
  if (problems.length > 0) throw fail('ENVIRONMENT_INVALID', { problems: problemsText(problems) });
  return settings;
}

/** A line for each PAYCLI_ variable that is not read. `named` are those a configuration file refers to. */
export function unknownVariables(env: Env, named: readonly string[]): string[] {
  return Object.keys(env)
    .filter(
      (name) =>
        name.startsWith('PAYCLI_') && env[name] !== undefined && !variables.includes(name) && !named.includes(name),
    )
    .map((name) => {
      const meant = variables.find((known) => known === `${name}_FILE`) ?? nearest(name, variables);
      return `${printableName(name)} is not a variable of paycli and was ignored${
        meant === undefined ? '' : `; did you mean ${meant}?`
      }`;
    });
}

function draftOf(env: Env, problems: string[]): Draft {
  const draftTexts: Partial<Record<TextKey, Sourced<string>>> = {};
  for (const [name, [key, parse]] of Object.entries(texts)) {
    const variable = readVariable(env, name);
    if (variable === undefined) continue;
    try {
      draftTexts[key] = { value: parse(variable.value), origin: variable.origin };
    } catch (error) {
      problems.push(`${name}: ${isPaycliError(error) ? error.message : 'is not usable'}`);
    }
  }
  const draftSecrets: Partial<Record<SecretKey, SecretSource>> = {};
  for (const [name, key] of Object.entries(secrets)) {
    if (readVariable(env, name) !== undefined)
      draftSecrets[key] = { kind: 'environment', name, origin: `environment ${name}` };
  }
  return { texts: draftTexts, secrets: draftSecrets };
}

function outputOf(env: Env, problems: string[]): Sourced<OutputFormat> | undefined {
  const variable = readVariable(env, 'PAYCLI_OUTPUT');
  if (variable === undefined) return undefined;
  const { value, origin } = variable;
  if (isOutputFormat(value)) return { value, origin };
  problems.push(`PAYCLI_OUTPUT: use one of ${outputFormats.join(', ')}${suggest(value, outputFormats)}`);
  return undefined;
}

function timeoutOf(env: Env, problems: string[]): Sourced<number> | undefined {
  const variable = readVariable(env, 'PAYCLI_TIMEOUT');
  if (variable === undefined) return undefined;
  const value = readTimeout(variable.value);
  if (value !== undefined) return { value, origin: variable.origin };
  problems.push(`PAYCLI_TIMEOUT: use ${timeoutForm}`);
  return undefined;
}

function noInputOf(env: Env): Sourced<boolean> | undefined {
  const variable = readVariable(env, 'PAYCLI_NO_INPUT');
  if (variable === undefined) return undefined;
  return { value: !['0', 'false', 'no'].includes(variable.value.toLowerCase()), origin: variable.origin };
}

function readVariable(env: Env, name: string): Sourced<string> | undefined {
  const value = env[name];
  return value === undefined || value === '' ? undefined : { value, origin: `environment ${name}` };
}
