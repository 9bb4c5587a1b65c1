import { createPublicKey, type KeyObject } from 'node:crypto';
import { isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import {
  caseOfHeader,
  type Diagnosis,
  type Difference,
  diffControl,
  diffOauth,
} from '../../../signing/diagnose/index.js';
import { type Merchant, requestSigning, Secret } from '../../../signing/index.js';
import type { ReceivedRequest } from '../../../signing/requests/index.js';
import type { Session } from '../../session.js';
import { type Explanation, explainControlCase, explainOauthCase } from './explanation.js';
import { nonceAndTimestampIn } from './inputs.js';
import {
  baseStringBehind,
  controlMistakeDifference,
  oauthMistakeDifference,
  slotsBehind,
} from './likeliest-mistake.js';
import { controlCaseOf, oauthCaseOf } from './operation-case.js';

export interface Verification extends SearchResult {
  /** Why it does not fit, in words. */
  readonly reason: string | undefined;
  /** True when the reason says no more than that it does not fit. */
  readonly isPlain: boolean;
}

interface SearchResult {
  readonly diagnosis: Diagnosis;
  /** The difference the likeliest mistake makes. */
  readonly supposed?: Difference | undefined;
  /** Both sides, a parameter a line; undefined where the request cannot be signed. */
  readonly explain?: ((open: boolean) => Explanation) | undefined;
}

const matching: Diagnosis = { match: true, mistakes: [], explanations: [] };

/**
 * Verifies a request as the gateway does, with the keys of the session or this public key; a wrong one is searched for
 * mistakes.
 */
export async function verifyReceived(
  arrived: ReceivedRequest,
  publicKey: KeyObject | undefined,
  session: Session,
  runtime: Runtime,
): Promise<Verification> {
  const verdict = requestSigning.verify(
    arrived.received,
    await merchantOf(arrived, publicKey, session),
    session.assume,
  );
  const found = await searchMistakes(arrived, publicKey, session, runtime);
  if (verdict.ok) return { ...found, diagnosis: matching, supposed: undefined, reason: undefined, isPlain: false };
  const { detail } = verdict;
  const isPlain = verdict.reason === 'oauth-signature' || detail.startsWith('control does not match');
  return { ...found, diagnosis: { ...found.diagnosis, match: false }, reason: detail, isPlain };
}

async function merchantOf(
  { received }: ReceivedRequest,
  publicKey: KeyObject | undefined,
  session: Session,
): Promise<Merchant> {
  const { login } = session;
  if (received.protection.scheme === 'rsa-sha256' && publicKey !== undefined)
    return { login, controlKey: new Secret(''), publicKey };
  const { controlKey, privateKey } = await session.credentials(received.protection);
  return {
    login,
    controlKey: controlKey ?? new Secret(''),
    ...(privateKey === undefined ? {} : { publicKey: createPublicKey(privateKey.keyObject) }),
  };
}

async function searchMistakes(
  { received, unsigned }: ReceivedRequest,
  publicKey: KeyObject | undefined,
  session: Session,
  runtime: Runtime,
): Promise<SearchResult> {
  const control = received.pairs.find(([name]) => name === 'control')?.[1] ?? '';
  if (received.protection.scheme === 'control') {
    const isReadable = unsigned.values['amount'] === undefined || unsigned.minor !== undefined;
    if (control === '' || !isReadable) return { diagnosis: matching };
    const given = await controlCaseOf(unsigned, session, runtime);
    const diagnosis = diffControl(given, { control });
    return {
      diagnosis,
      supposed: controlMistakeDifference(given, control, diagnosis),
      explain: () => explainControlCase(given, slotsBehind(given, control, diagnosis)),
    };
  }
  if (received.authorization === undefined) return { diagnosis: matching };
  const theirs = { header: received.authorization };
  const given = await oauthCaseOf(unsigned, session, nonceAndTimestampIn(theirs), publicKey);
  try {
    const diagnosis = diffOauth(given, theirs);
    return {
      diagnosis,
      supposed: oauthMistakeDifference(given, theirs, diagnosis),
      explain: (open) =>
        explainOauthCase(given, baseStringBehind(caseOfHeader(given, theirs.header), theirs, diagnosis), open),
    };
  } catch (error) {
    // A header that is no OAuth header at all; the verdict has said so.
    if (isPaycliError(error) && error.code === 'TEXT_INVALID') return { diagnosis: matching };
    throw error;
  }
}
