import { createPublicKey, type KeyObject } from 'node:crypto';
import { listProfiles, loadProfile, readSecret } from '../../../config/index.js';
import { fail, isPaycliError, type PaycliError } from '../../../errors/index.js';
import { compose } from '../../../payments/compose.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Surroundings } from '../../../signing/diagnose/index.js';
import { type Merchant, Secret, type Unsigned } from '../../../signing/index.js';
import type { Operation, PlainProtection } from '../../../spec/index.js';
import { checkRequest, protectionOf } from '../../../wire/check.js';
import { flagOf } from '../../command.js';
import type { Typed } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { announce, type Resolved, resolveFields } from '../../fields/resolve.js';
import { type Session, withSession } from '../../session.js';

/** A request of an operation that is compared with what somebody else signed. */
export interface PreparedRequest {
  readonly unsigned: Unsigned;
  readonly session: Session;
  readonly report: Reporter;
}

/**
 * Composes the request from the operation's flags and runs `use` with it, for its exit code; nothing is sent. Values
 * are taken as they are, whether a gateway takes them or not: what counts is what the other side signed. Of a request
 * protected by a control only the fields that go into the control are needed.
 */
export async function withRequest(
  row: Operation,
  typed: Typed,
  runtime: Runtime,
  use: (prepared: PreparedRequest) => Promise<number>,
): Promise<number> {
  return withSession(typed.options, runtime, async (session, report) => {
    const [fields, options] = onlySigned(row, typed, session);
    const resolved = await resolveFields(fields, options, session, runtime, false);
    if (resolved.origins['clientOrderId'] === 'generated')
      throw fail('USAGE', {
        why: 'name the order id of the request that was refused, with --client-order-id',
      });
    const signed = { ...row, fields: { ...row.fields, ...fields.fields } };
    const composed = compose(signed, resolved.values, resolved.extra, session.target(resolved.endpointId));
    const unsigned = { ...composed, row };
    if (unsigned.protection.scheme === 'none') throw nothingSigned(row.command);
    announce(resolved, report);
    report.warn(unacceptable(row, resolved, session));
    return use({ unsigned, session, report });
  });
}

/**
 * The operation with the fields of its control alone, all others allowed and ignored, or with all fields of another
 * scheme. Any value is taken, but for the amount of a control, of which the minor units are signed.
 */
function onlySigned(row: Operation, typed: Typed, { assume }: Session): readonly [Operation, Typed] {
  const protection = protectionOf(row, assume);
  const isControl = protection.scheme === 'control';
  const keys = new Set(
    isControl
      ? [...protection.values, ...(protection.values.includes('amount') ? ['currency'] : [])]
      : Object.keys(row.fields),
  );
  const fields = Object.fromEntries(
    Object.entries(row.fields)
      .filter(([key]) => keys.has(key))
      .map(([key, field]) => [
        key,
        isControl && (key === 'amount' || key === 'currency') ? field : { ...field, takesAny: true as const },
      ]),
  );
  // Fields that another one makes required are filled in for a test payer here as they are when the request is signed.
  const kinds = isControl ? ['together', 'atLeastOne'] : ['atLeastOne', 'requiredWhen'];
  const rules = row.rules.filter((rule) => kinds.includes(rule.rule) && keysOf(rule).every((key) => keys.has(key)));
  return [
    { ...row, fields, rules },
    isControl ? { ...typed, options: { ...typed.options, allowUnknownField: true } } : typed,
  ];
}

function keysOf(rule: Operation['rules'][number]): readonly string[] {
  return rule.rule === 'together' || rule.rule === 'atLeastOne' ? rule.fields : [];
}

/** What a gateway takes none of, however it is signed. */
function unacceptable(row: Operation, { values, endpointId }: Resolved, { assume, login }: Session): string[] {
  return checkRequest(row, { ...values, login }, { assume, endpointId, name: flagOf })
    .filter(({ kind }) => kind === 'invalid')
    .map(({ why }) => `${why}; compared as it is`);
}

/** The keys that a request is verified with; for RSA a public key is enough. */
export async function merchantFor(
  session: Session,
  protection: PlainProtection,
  publicKey?: KeyObject,
): Promise<Merchant> {
  const { login } = session;
  if (protection.scheme === 'rsa-sha256' && publicKey !== undefined)
    return { login, controlKey: new Secret(''), publicKey };
  const { controlKey, privateKey } = await session.credentials(protection);
  return {
    login,
    controlKey: controlKey ?? new Secret(''),
    ...(privateKey === undefined ? {} : { publicKey: createPublicKey(privateKey.keyObject) }),
  };
}

/**
 * Control keys and endpoints of all profiles, one of which somebody may have signed with by mistake. What cannot be
 * read is left out: the diagnosis works without it.
 */
export async function readSurroundings(runtime: Runtime): Promise<Surroundings> {
  // PAYCLI_* variables override every profile, which would hide what each has of its own.
  const env = Object.fromEntries(Object.entries(runtime.env).filter(([name]) => !name.startsWith('PAYCLI_')));
  const outside = { ...runtime, env };
  const otherKeys: { name: string; key: string }[] = [];
  const otherEndpoints = new Set<string>();
  for (const { name } of (await ifReadable(() => listProfiles(outside))) ?? []) {
    const { profile } = (await ifReadable(() => loadProfile({ profile: name }, outside))) ?? {};
    for (const { key, value } of profile?.rows ?? [])
      if (key === 'endpoint-id' || key.startsWith('endpoints.')) otherEndpoints.add(value);
    const source = profile?.controlKey;
    // Standard input and open descriptors can be read only once, and the profile in use has done so.
    if (source?.kind !== 'file' && source?.kind !== 'environment') continue;
    const read = await ifReadable(() => readSecret(source, runtime));
    if (read !== undefined) otherKeys.push({ name: `profile ${name}`, key: read.secret.open() });
  }
  return { otherKeys, otherEndpoints: [...otherEndpoints] };
}

async function ifReadable<Read>(read: () => Promise<Read>): Promise<Read | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

/** The operation has no signature to show or check. */
export function nothingSigned(operation: string): PaycliError {
  return fail('USAGE', {
    why: `${operation} carries no signature under the assumptions in force`,
    operation,
    command: 'assumptions',
  });
}
