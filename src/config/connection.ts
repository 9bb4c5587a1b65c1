import { fail } from '../errors/index.js';
import { type Assume, assumeDefaults, type SwitchName } from '../spec/index.js';
import { readDuration } from '../wire/time.js';
import type { Defaults, ProfileContent } from './content.js';
import type { Choice } from './profile-choice.js';
import {
  checkAddressOverride,
  checkClassNotLowered,
  checkHostClass,
  classOfAddress,
  knownHosts,
} from './profile-class.js';
import { type Assumed, type Caps, type EndpointRule, endpointFrom, noCaps } from './profile-entries.js';
import {
  type Draft,
  type ExplainRow,
  emptyDraft,
  explainRows,
  overlay,
  type ProfileClass,
  profileClasses,
  type SecretSource,
  type Sourced,
} from './settings.js';
import type { SharedJournal } from './shared-journal.js';
import type { Sources } from './sources.js';

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
  /** By field key. The addresses below win over a default of the same name. */
  readonly defaults: Defaults;
  readonly addresses: {
    readonly serverCallbackUrl: Sourced<string> | undefined;
    readonly redirectUrl: Sourced<string> | undefined;
    readonly notifyUrl: Sourced<string> | undefined;
  };
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
  readonly assumeOrigins: Readonly<Partial<Record<SwitchName, string>>>;
  /** Where each value of the connection came from, by its key in a file. */
  readonly origins: Readonly<Record<string, string>>;
  /** Every value of the connection, and those that lost to a stronger source. */
  readonly rows: readonly ExplainRow[];
}

type Configured = Exclude<Choice, { kind: 'builtIn' }>;

interface ConnectionLayers {
  readonly flags: Draft;
  readonly environment: Draft;
  readonly sources: Sources;
  readonly defaults: Defaults;
}

/** Builds the chosen connection. Throws PROFILE_INCOMPLETE or PROFILE_CLASS_MISMATCH. */
export function buildProfile(choice: Configured, { flags, environment, sources, defaults }: ConnectionLayers): Profile {
  const content = choice.kind === 'named' ? choice.content : undefined;
  const { draft, hidden } = overlay([flags, environment, content?.draft ?? emptyDraft]);
  const { baseUrl, login } = requireComplete(choice, draft, sources);
  const classed = classOf(choice, baseUrl, environment, sources);
  // An endpoint id from outside the file wins over the file's more specific ones too.
  const pinned = draft.texts['endpoint-id'] !== content?.draft.texts['endpoint-id'];
  const rows = explainRows({ ...draft, texts: { ...draft.texts, class: classed } }, false);
  return {
    name: choice.name,
    class: classed.value,
    baseUrl,
    login,
    ...endpointsOf(choice, draft, pinned ? [] : (content?.endpoints ?? [])),
    controlKey: draft.secrets['control-key'],
    privateKey: draft.secrets['private-key'],
    passphrase: draft.secrets.passphrase,
    caFile: draft.texts['ca-file']?.value,
    defaults,
    addresses: {
      serverCallbackUrl: draft.texts['server-callback-url'],
      redirectUrl: draft.texts['redirect-url'],
      notifyUrl: draft.texts['notify-url'],
    },
    askFirst: draft.texts['ask-first']?.value === 'off' ? 'off' : 'on',
    repeatWindowMs: readDuration(draft.texts['repeat-window']?.value ?? '15m') ?? 0,
    journal: content?.journal,
    caps: content?.caps ?? noCaps,
    ...assumeOf(content?.assume ?? {}),
    origins: Object.fromEntries(rows.map(({ key, origin }) => [key, origin])),
    rows: [
      ...rows,
      ...hidden,
      ...endpointRows(content?.endpoints ?? [], pinned),
      ...(content?.caps.rows ?? []),
      ...journalRows(content),
    ],
  };
}

/** Without the places of its key and password. */
function journalRows(content: ProfileContent | undefined): ExplainRow[] {
  const { name, journal } = content ?? {};
  return journal === undefined
    ? []
    : [{ key: 'journal', value: journal.shown, origin: `profile ${name}`, hidden: false }];
}

function endpointRows(rules: readonly EndpointRule[], hidden: boolean): ExplainRow[] {
  return rules.map(({ key, id, origin }) => ({ key: `endpoints.${key}`, value: id, origin, hidden }));
}

function endpointsOf(
  choice: Configured,
  draft: Draft,
  rules: readonly EndpointRule[],
): Pick<Profile, 'endpointId' | 'endpointFor'> {
  const general = draft.texts['endpoint-id'];
  const endpointFor = (operation: string, currency?: string) => {
    const id = endpointFrom(rules, operation, currency) ?? general?.value;
    if (id !== undefined) return id;
    const purpose = `${operation}${currency === undefined ? '' : ` in ${currency}`}`;
    throw fail('PROFILE_INCOMPLETE', {
      name: choice.name,
      lacking: `an endpoint id for ${purpose}`,
      how: 'endpoint-id, or an entry under endpoints, in the profile',
    });
  };
  return { endpointId: general?.value, endpointFor };
}

function assumeOf(assumed: Assumed): Pick<Profile, 'assume' | 'assumeOrigins'> {
  const set = Object.entries(assumed);
  return {
    assume: { ...assumeDefaults, ...Object.fromEntries(set.map(([name, { value }]) => [name, value])) },
    assumeOrigins: Object.fromEntries(set.map(([name, { origin }]) => [name, origin])),
  };
}

const requiredSettings = [
  { key: 'base-url', variable: 'PAYCLI_BASE_URL', flag: '--base-url' },
  { key: 'login', variable: 'PAYCLI_LOGIN', flag: '--login' },
  { key: 'endpoint-id', variable: 'PAYCLI_ENDPOINT_ID', flag: '--endpoint-id' },
  { key: 'control-key', variable: 'PAYCLI_CONTROL_KEY_FILE', flag: '--control-key-file' },
] as const;

function requireComplete(
  choice: Configured,
  draft: Draft,
  { user }: Sources,
): { readonly baseUrl: string; readonly login: string } {
  const hasEndpoints = choice.kind === 'named' && choice.content.endpoints.length > 0;
  const missing = requiredSettings.filter(({ key }) => {
    if (key === 'control-key') return choice.kind === 'adHoc' && draft.secrets[key] === undefined;
    return draft.texts[key] === undefined && !(key === 'endpoint-id' && hasEndpoints);
  });
  const baseUrl = draft.texts['base-url']?.value;
  const login = draft.texts.login?.value;
  if (missing.length === 0 && baseUrl !== undefined && login !== undefined) return { baseUrl, login };
  const called = choice.kind === 'named' ? 'key' : choice.name === 'environment' ? 'variable' : 'flag';
  const names = missing.map((item) => item[called]).join(', ');
  const set = `paycli profile set ${choice.name} ${missing.map(({ key }) => `${key}=VALUE`).join(' ')}`;
  throw choice.kind === 'named'
    ? fail('PROFILE_INCOMPLETE', {
        name: choice.name,
        lacking: names,
        how: `${names} with \`${set}\`, or in ${user?.path ?? ''}`,
        file: user?.path ?? '',
      })
    : fail('PROFILE_INCOMPLETE', {
        why: `connection settings are missing: ${names}`,
        name: choice.name,
        how: `${names}, or name a profile with --profile or PAYCLI_PROFILE`,
      });
}

function classOf(choice: Configured, baseUrl: string, environment: Draft, sources: Sources): Sourced<ProfileClass> {
  const hosts = knownHosts(sources);
  const stated = asClass(environment.texts.class);
  const content = choice.kind === 'named' ? choice.content : undefined;
  const own = asClass(content?.draft.texts.class) ?? { value: classOfAddress(baseUrl), origin: 'built-in' };
  if (content !== undefined && stated !== undefined) checkClassNotLowered(choice.name, own.value, stated.value);
  const final = stated ?? own;
  const classed = { name: choice.name, class: final.value, baseUrl };
  checkHostClass(classed, hosts);
  if (content !== undefined)
    checkAddressOverride(classed, content.draft.texts['base-url']?.value, stated?.value, hosts);
  return final;
}

function asClass(text: Sourced<string> | undefined): Sourced<ProfileClass> | undefined {
  const value = profileClasses.find((name) => name === text?.value);
  return value === undefined || text === undefined ? undefined : { value, origin: text.origin };
}
