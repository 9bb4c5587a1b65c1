/** What flags and variables say. */
import { fail, isPaycliError, problemsText } from '../errors/index.js';
import type { Env, Files } from '../runtime/ports.js';
import { printableName } from './file-access.js';
import { type Layer, layerWith } from './layers.js';
import { isSecretKey, type Place, profileSettings, secretKeys, settings, variableOf } from './settings.js';

type Name =
  | 'baseUrl'
  | 'login'
  | 'endpointId'
  | 'caFile'
  | `${'controlKey' | 'privateKey' | 'passphrase'}${'File' | 'Fd'}`;

/** The flags of the connection. Never a secret itself, only its file (- for standard input) or an open descriptor. */
export type ConnectionFlags = { readonly [Key in Name]?: string | undefined };

/** Throws FIELD_INVALID for all mistakes together. */
export function readFlags(flags: ConnectionFlags, { folders }: Pick<Files, 'folders'>): Layer {
  const place = { folder: folders.working, home: folders.home };
  const given: Readonly<Record<string, string | undefined>> = flags;
  const problems: string[] = [];
  const layers = Object.entries(settings).flatMap(([key, { flag }]) => {
    if (flag === undefined) return [];
    const name = key.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    if (!isSecretKey(key)) return readOne(key, given[name], `flag --${key}`, place, problems);
    const [file, fd] = [given[`${name}File`], given[`${name}Fd`]];
    if (file !== undefined && fd !== undefined)
      problems.push(`--${key}-file and --${key}-fd both name the secret; use one of them`);
    return [
      ...readOne(key, file === '-' ? { fd: 0 } : file && { file }, `flag --${key}-file`, place, problems),
      ...readOne(key, fd === undefined ? fd : { fd: readDescriptor(fd) }, `flag --${key}-fd`, place, problems),
    ];
  });
  const layer: Layer = Object.assign({}, ...layers);
  if (problems.length > 0) throw fail('FIELD_INVALID', { problems: problemsText(problems) });
  return layer;
}

/** Null for another text, which is not repeated: it may be the key itself, put there by mistake. */
function readDescriptor(text: string): number | null {
  return /^(?:0|[1-9]\d{0,3})$/.test(text) ? Number(text) : null;
}

function readOne(key: string, raw: unknown, origin: string, place: Place, problems: string[]): readonly Layer[] {
  if (raw === undefined) return [];
  try {
    return [layerWith(key, settings[key]?.read(raw, place), origin)];
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    problems.push(`${origin.replace(/^\w+ /, '')}: ${error.message}`);
    return [];
  }
}

/** True when the flags describe a gateway; an endpoint id or an authority alone goes with any profile. */
export function describesConnection(layer: Layer): boolean {
  return ['base-url', 'login', ...secretKeys].some((key) => key in layer);
}

const settingsByVariable = new Map(
  Object.entries(settings).flatMap(([key, { variable }]) => (variable ? [[variableOf(key), key] as const] : [])),
);

/** Every variable paycli reads. */
const variables = [
  ...settingsByVariable.keys(),
  ...['PAYCLI_CONFIG_DIR', 'PAYCLI_STATE_DIR', 'PAYCLI_SANDBOX', 'PAYCLI_CALLBACK_URL'],
];

/**
 * Reads the PAYCLI_ variables. An empty one is refused: a script whose secret is missing must not end up elsewhere.
 * Throws ENVIRONMENT_INVALID; no message repeats a value.
 */
export function readEnvironment(env: Env): Layer {
  const problems = variables.filter((name) => env[name] === '').map((name) => `${name}: it is set but empty`);
  const layers = [...settingsByVariable].flatMap(([name, key]) => {
    const origin = `environment ${name}`;
    const value = env[name];
    if (value === undefined || value === '') return [];
    if (isSecretKey(key)) return [layerWith(key, { kind: 'environment', name }, origin)];
    return readOne(key, value, origin, { folder: '/', home: '/' }, problems);
  });
  if (problems.length > 0) throw fail('ENVIRONMENT_INVALID', { problems: problemsText(problems) });
  return Object.assign({}, ...layers);
}

/** The variables that are set and describe a connection. */
export function connectionVariables(layer: Layer): readonly string[] {
  return Object.keys(layer)
    .filter((key) => key in profileSettings && key !== 'ask-first')
    .map(variableOf);
}

/** A line for each PAYCLI_ variable that is not read. `named` are those a configuration file refers to. */
export function unknownVariables(env: Env, named: readonly string[]): string[] {
  const known = [...variables, ...named];
  return Object.keys(env)
    .filter((name) => name.startsWith('PAYCLI_') && !known.includes(name))
    .map((name) => `${printableName(name)} is not a variable of paycli and was ignored`);
}
