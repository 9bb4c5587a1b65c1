import type { KeyObject } from 'node:crypto';
import { listProfiles, loadProfile, type Profile, readSecret } from '../../../config/index.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import { compose } from '../../../payments/compose.js';
import type { Runtime } from '../../../runtime/ports.js';
import {
  type ControlCase,
  controlHypotheses,
  type Diagnosis,
  type Difference,
  diffControl,
  diffOauth,
  type Mistake,
  type OauthCase,
  oauthHypotheses,
  oauthStagesOf,
} from '../../../signing/diagnose/index.js';
import { type NonceAndTimestamp, requestSigning, type Unsigned } from '../../../signing/index.js';
import type { Operation } from '../../../spec/index.js';
import { protectionOf } from '../../../wire/check-request.js';
import { announce } from '../../core/compose-request.js';
import { openLocalSandbox } from '../../core/local-sandbox.js';
import { withSession } from '../../core/open-session.js';
import type { Typed } from '../../core/options.js';
import type { Reporter } from '../../core/reporter.js';
import { resolveFields } from '../../core/resolve-fields.js';
import type { Session } from '../../core/session.js';

/** A request of an operation that is compared with what somebody else signed. */
export interface PreparedRequest {
  readonly unsigned: Unsigned;
  readonly session: Session;
  readonly report: Reporter;
}

/**
 * Puts the request together from the operation's flags and hands it over; nothing is sent. A control needs no more than
 * its own values.
 */
export async function withRequest(
  row: Operation,
  typed: Typed,
  command: string,
  runtime: Runtime,
  use: (prepared: PreparedRequest) => Promise<number>,
): Promise<number> {
  return withSession(typed.options, runtime, async (session, report) => {
    const resolved = await resolveFields(...narrowed(row, typed, session), session, runtime, ['journal']);
    if (resolved.origins['clientOrderId'] === 'generated') throw fail('refusedOrderNotNamed', { command });
    const unsigned = compose(row, resolved.values, resolved.extra, session.target(resolved.endpointId));
    if (unsigned.protection.scheme === 'none')
      throw fail('nothingSigned', { operation: row.command, command: 'assumptions list' });
    announce(resolved, report);
    return use({ unsigned, session, report });
  });
}

/** The row with the fields its control is made of; whatever else was in the request makes no difference to it. */
function narrowed(row: Operation, typed: Typed, { assume }: Session): readonly [Operation, Typed] {
  const protection = protectionOf(row, assume);
  if (protection.scheme !== 'control') return [row, typed];
  const keys = new Set([...protection.values, ...(protection.values.includes('amount') ? ['currency'] : [])]);
  const fields = Object.fromEntries(Object.entries(row.fields).filter(([key]) => keys.has(key)));
  const rules = row.rules.filter(
    (rule) => (rule.rule === 'together' || rule.rule === 'atLeastOne') && rule.fields.every((key) => keys.has(key)),
  );
  return [
    { ...row, fields, rules },
    { ...typed, options: { ...typed.options, allowUnknownField: true } },
  ];
}

// A control is the same whatever these are.
const noFresh: NonceAndTimestamp = { nonce: '', timestamp: '' };

/** A request protected by a control, with its key and with what may have been taken for either. */
export async function controlCaseOf(unsigned: Unsigned, session: Session, runtime: Runtime): Promise<ControlCase> {
  const credentials = await session.credentials(unsigned.protection);
  const { stages } = requestSigning.sign(unsigned, credentials, session.assume, noFresh);
  const { slots, encoding } = stages.scheme === 'control' ? stages : { slots: [], encoding: 'hex-lower' as const };
  const others = await readOtherCredentials(session, runtime);
  const { amount, currency, email } = unsigned.values;
  const key = credentials.controlKey?.open() ?? '';
  return {
    slots,
    key,
    encoding,
    amountText: amount,
    currency,
    email,
    login: session.login,
    endpointId: unsigned.endpointId,
    otherEndpoints: others.endpoints.filter((id) => id !== unsigned.endpointId),
    otherKeys: others.keys.filter((other) => other.key !== key),
  };
}

/** A request signed by OAuth, with its key; a public key serves as well where RSA is used. */
export async function oauthCaseOf(
  unsigned: Unsigned,
  session: Session,
  fresh: NonceAndTimestamp,
  publicKey?: KeyObject,
): Promise<OauthCase> {
  const { url, pairs, protection } = unsigned;
  const common = { method: 'POST', url, body: pairs, consumerKey: session.login, ...fresh, hasVersion: true };
  if (protection.scheme === 'rsa-sha256' && publicKey !== undefined)
    return { ...common, signatureMethod: 'RSA-SHA256', publicKey };
  const { controlKey, privateKey } = await session.credentials(protection);
  if (protection.scheme === 'rsa-sha256')
    return { ...common, signatureMethod: 'RSA-SHA256', privateKey: privateKey?.keyObject };
  const keyForm = session.assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded';
  return { ...common, signatureMethod: 'HMAC-SHA1', secret: controlKey?.open(), tokenSecret: '', keyForm };
}

/** What a signature may have been made with by mistake. */
interface OtherCredentials {
  readonly keys: readonly { readonly name: string; readonly key: string }[];
  readonly endpoints: readonly string[];
}

const noCredentials: OtherCredentials = { keys: [], endpoints: [] };

/**
 * Keys and endpoints of the other profiles and, in the sandbox, of its other merchants. What cannot be read is passed
 * over.
 */
async function readOtherCredentials(session: Session, runtime: Runtime): Promise<OtherCredentials> {
  const found = [
    await orNone(() => ofProfiles(runtime)),
    session.builtin ? await orNone(() => ofSandbox(runtime)) : noCredentials,
  ];
  return {
    keys: found.flatMap(({ keys }) => keys),
    endpoints: [...new Set(found.flatMap(({ endpoints }) => endpoints))],
  };
}

async function ofProfiles(runtime: Runtime): Promise<OtherCredentials> {
  // What the environment says of the connection goes for every profile and would hide what each has of its own.
  const env = Object.fromEntries(Object.entries(runtime.env).filter(([name]) => !name.startsWith('PAYCLI_')));
  const found: OtherCredentials[] = [];
  for (const { name } of await listProfiles({ ...runtime, env }))
    found.push(
      await orNone(async () => {
        const { profile } = await loadProfile({ profile: name }, { ...runtime, env });
        return profile === undefined ? noCredentials : ofProfile(profile, runtime);
      }),
    );
  return { keys: found.flatMap(({ keys }) => keys), endpoints: found.flatMap(({ endpoints }) => endpoints) };
}

async function ofProfile(profile: Profile, runtime: Runtime): Promise<OtherCredentials> {
  const { controlKey, name } = profile;
  // Standard input and open descriptors can be read once, and that was for the profile in use.
  const keys =
    controlKey?.kind === 'file' || controlKey?.kind === 'environment'
      ? await orNone(async () => ({
          ...noCredentials,
          keys: [{ name: `profile ${name}`, key: (await readSecret(controlKey, runtime)).secret.open() }],
        }))
      : noCredentials;
  const endpoints = profile.rows
    .filter(({ key }) => key === 'endpoint-id' || key.startsWith('endpoints.'))
    .map(({ value }) => value);
  return { keys: keys.keys, endpoints };
}

async function ofSandbox(runtime: Runtime): Promise<OtherCredentials> {
  const sandbox = await openLocalSandbox(runtime);
  try {
    const merchants = sandbox.merchants();
    return {
      keys: merchants.map(({ login, controlKey }) => ({ name: `merchant ${login}`, key: controlKey })),
      endpoints: merchants.flatMap(({ endpoints }) => endpoints.map(({ id }) => id)),
    };
  } finally {
    sandbox.close();
  }
}

async function orNone(read: () => Promise<OtherCredentials>): Promise<OtherCredentials> {
  try {
    return await read();
  } catch (error) {
    if (isPaycliError(error)) return noCredentials;
    throw error;
  }
}

/**
 * Where the text signed under the likeliest mistake leaves ours, for a result that shows no text of its own. Undefined
 * when that mistake is not in the text, or when there is none.
 */
export function oauthMistakeDifference(
  given: OauthCase,
  { explanations, taken = [] }: Diagnosis,
): Difference | undefined {
  const [likeliest = []] = explanations;
  // What was taken over from a header is not in the case, so places would be off.
  if (likeliest.length !== 1 || taken.length > 0) return undefined;
  for (const { mistake, baseString } of oauthHypotheses(given))
    if (areSame([mistake], likeliest)) return diffOauth(given, { baseString }).difference;
  return undefined;
}

/**
 * What they signed, where the likeliest explanation says so: nothing of it is guessed, since that text gives their
 * signature. Undefined where no single mistake explains it.
 */
export function baseStringBehind(theirs: OauthCase, { match, explanations }: Diagnosis): string | undefined {
  const [likeliest = []] = explanations;
  const [mistake] = likeliest;
  // Such a header carries a signature of the right text.
  if (match || (likeliest.length === 1 && mistake?.name === 'header-not-encoded'))
    return oauthStagesOf(theirs).baseString;
  if (likeliest.length !== 1) return undefined;
  for (const { mistake: each, baseString } of oauthHypotheses(theirs))
    if (areSame([each], likeliest)) return baseString;
  return undefined;
}

/** The same for a checksum: the values they joined. */
export function slotsBehind(given: ControlCase, { match, explanations }: Diagnosis): ControlCase['slots'] | undefined {
  const [likeliest] = explanations;
  if (match || likeliest === undefined) return match ? given.slots : undefined;
  for (const { mistakes, slots } of controlHypotheses(given)) if (areSame(mistakes, likeliest)) return slots;
  return undefined;
}

export function controlMistakeDifference(given: ControlCase, { explanations }: Diagnosis): Difference | undefined {
  const [likeliest] = explanations;
  if (likeliest === undefined) return undefined;
  for (const { mistakes, string } of controlHypotheses(given))
    if (areSame(mistakes, likeliest)) return diffControl(given, { string }).difference;
  return undefined;
}

function areSame(some: readonly Mistake[], others: readonly Mistake[]): boolean {
  return (
    some.length === others.length &&
    some.every(
      ({ name, variant, detail }, at) =>
        name === others[at]?.name && variant === others[at]?.variant && detail === others[at]?.detail,
    )
  );
}
