import type { Runtime } from '../../runtime/ports.js';
import { printable } from '../../wire/redact.js';
import { type Identity, identify, type KeyFacts } from '../identity.js';
import type { CommonOptions } from '../options.js';
import { columns } from '../present/columns.js';
import { rowText } from '../present/profile.js';
import { Reporter } from '../reporter.js';

/** Who paycli is in this run: the connection, its keys by fingerprint, and what a live payment would ask. */
export async function runWhoami(options: CommonOptions, runtime: Runtime): Promise<number> {
  const identity = await identify(options, runtime);
  const report = new Reporter(options, identity, runtime);
  report.notes(identity.warnings.map((text) => `warning: ${text}`));
  const { rows: _, warnings: _warnings, output: _output, ...facts } = identity;
  const liveGuard = guardOf(identity);
  await report.show({
    document: { schema: 'paycli.whoami/1', ...facts, endpoints: endpointsOf(identity), liveGuard },
    text: () => textOf(identity, liveGuard),
  });
  return 0;
}

/** Everything one profile says, by the place it says it in. */
export async function runProfileShow(name: string | undefined, options: CommonOptions, runtime: Runtime): Promise<number> {
  const identity = await identify(name === undefined ? options : { ...options, profile: name }, runtime);
  const report = new Reporter(options, identity, runtime);
  report.notes(identity.warnings.map((text) => `warning: ${text}`));
  const values = identity.rows.filter(({ key, hidden }) => !hidden && !settings.has(key));
  const { profile, class: kind, builtin, keys } = identity;
  await report.show({
    document: { schema: 'paycli.profile/1', profile, class: kind, builtin, values, keys },
    text: () => `${rowText(values, report, runtime)}\n${columns(keys.map((key) => [key.key, keyText(key)].map(printable)))}`,
  });
  return 0;
}

/** What belongs to no profile. */
const settings: ReadonlySet<string> = new Set(['output', 'timeout', 'no-input']);

function endpointsOf({ rows }: Identity): Readonly<Record<string, string>> {
  const prefix = 'endpoints.';
  const rules = rows.filter(({ key, hidden }) => key.startsWith(prefix) && !hidden);
  return Object.fromEntries(rules.map(({ key, value }) => [key.slice(prefix.length), value]));
}

/** What the live guard asks before money moves, and the caps, which hold in every class; as sentences. */
function guardOf({ class: kind, login, rows }: Identity): readonly string[] {
  const caps = rows
    .filter(({ key, hidden }) => !hidden && (key === 'max-amount' || key === 'max-total-per-day'))
    .map(({ key, value }) => `${key === 'max-amount' ? 'at most' : 'in a day at most'} ${value}`);
  const asked = kind === 'live' ? ['--live on every command', `for money: the login typed, or --confirm-login ${login}`] : [];
  return [...asked, ...caps];
}

function textOf(identity: Identity, guard: readonly string[]): string {
  const { profile, chosenBy, builtin, baseUrl, login, endpointId, keys } = identity;
  const endpoints = Object.entries(endpointsOf(identity)).map(([rule, id]) => `${rule} ${id}`);
  const missing = keys.some(({ key }) => key === 'control-key')
    ? []
    : [['control-key', 'none: payments are refused, since nothing could ask for their outcome']];
  const rows = [
    ['profile', `${profile}${builtin ? ', the sandbox in the box' : ''} (${chosenBy})`],
    ['class', identity.class],
    ['address', baseUrl],
    ['login', login],
    ['endpoint', [...(endpointId === null ? [] : [endpointId]), ...endpoints].join(', ')],
    ...missing,
    ...keys.map((key) => [key.key, keyText(key)]),
    ['live guard', guard.length === 0 ? 'asks nothing: no real money moves here' : guard.join('; ')],
  ];
  return columns(rows.map((row) => row.map(printable)));
}

function keyText({ place, from, fingerprint, problem }: KeyFacts): string {
  if (problem !== null) return `cannot be used: ${problem}`;
  return `fingerprint ${fingerprint ?? ''}${place === null ? '' : `, from ${place} (${from})`}`;
}
