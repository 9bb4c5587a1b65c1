import { createPublicKey, type KeyObject } from 'node:crypto';
import { isPaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Diagnosis, type Difference, diffControl, diffOauth } from '../../signing/diagnose/index.js';
import { type Merchant, requestSigning, Secret } from '../../signing/index.js';
import type { Session } from '../session.js';
import { controlMistakeDifference, oauthMistakeDifference } from './mistake-difference.js';
import { controlCaseOf, oauthCaseOf } from './operation-case.js';
import type { Arrived } from './received.js';
import { freshIn } from './theirs.js';

export interface Judged extends Found {
  /** Why it does not fit, in words. */
  readonly reason: string | undefined;
  /** True when the reason says no more than that it does not fit. */
  readonly isPlain: boolean;
}

interface Found {
  readonly diagnosis: Diagnosis;
  /** The difference the likeliest mistake makes. */
  readonly supposed?: Difference | undefined;
}

const fits: Diagnosis = { match: true, mistakes: [], explanations: [] };

/** Verifies a request as the gateway does, with the keys of the session or this public key; a wrong one is searched for mistakes. */
export async function judge(arrived: Arrived, publicKey: KeyObject | undefined, session: Session, runtime: Runtime): Promise<Judged> {
  const verdict = requestSigning.verify(arrived.received, await merchantOf(arrived, publicKey, session), session.assume);
  if (verdict.ok) return { diagnosis: fits, reason: undefined, isPlain: false };
  const { detail } = verdict;
  const isPlain = verdict.reason === 'oauth-signature' || detail.startsWith('control does not fit');
  const { diagnosis, supposed } = await search(arrived, publicKey, session, runtime);
  return { diagnosis: { ...diagnosis, match: false }, supposed, reason: detail, isPlain };
}

async function merchantOf({ received }: Arrived, publicKey: KeyObject | undefined, session: Session): Promise<Merchant> {
  const { login } = session;
  if (received.protection.scheme === 'rsa-sha256' && publicKey !== undefined) return { login, controlKey: new Secret(''), publicKey };
  const { controlKey, privateKey } = await session.credentials(received.protection);
  return {
    login,
    controlKey: controlKey ?? new Secret(''),
    ...(privateKey === undefined ? {} : { publicKey: createPublicKey(privateKey.keyObject) }),
  };
}

async function search(
  { received, unsigned }: Arrived,
  publicKey: KeyObject | undefined,
  session: Session,
  runtime: Runtime,
): Promise<Found> {
  const control = received.pairs.find(([name]) => name === 'control')?.[1] ?? '';
  if (received.protection.scheme === 'control') {
    const isReadable = unsigned.values['amount'] === undefined || unsigned.minor !== undefined;
    if (control === '' || !isReadable) return { diagnosis: fits };
    const given = await controlCaseOf(unsigned, session, runtime);
    const diagnosis = diffControl(given, { control });
    return { diagnosis, supposed: controlMistakeDifference(given, diagnosis) };
  }
  if (received.authorization === undefined) return { diagnosis: fits };
  const theirs = { header: received.authorization };
  const given = await oauthCaseOf(unsigned, session, freshIn(theirs), publicKey);
  try {
    const diagnosis = diffOauth(given, theirs);
    return { diagnosis, supposed: oauthMistakeDifference(given, diagnosis) };
  } catch (error) {
    // A header that is no OAuth header at all; the verdict has said so.
    if (isPaycliError(error) && error.code === 'TEXT_INVALID') return { diagnosis: fits };
    throw error;
  }
}
