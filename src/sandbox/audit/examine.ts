import { isPaycliError } from '../../errors/index.js';
import { type Diagnosis, diffOauth, findControlMistakes, type OauthCase } from '../../signing/diagnose/index.js';
import { authorizationHeader, type Merchant, type Received, requestSigning } from '../../signing/index.js';
import type { Assume } from '../../spec/index.js';
import { fieldsInForce, protectionOf, withLostPlusSigns } from '../../wire/check.js';
import { decodeBody, formType, receivedFrom, routeOf, verificationKeys } from '../checks.js';
import { minorIn } from '../fields.js';
import { maskMethod, maskPath } from '../masking.js';
import { merchantOf, type SandboxMerchant } from '../merchants.js';
import { Refusal, type RuleViolation } from '../refusal.js';
import type { Route, SandboxReply, SandboxRequest, SandboxSettings } from '../request.js';
import type { Store } from '../store.js';
import type { RuleId } from './rules.js';
import { controlCaseOf, oauthCaseOf } from './signature-cases.js';
import { oauthRuleByReason } from './signature-detectors.js';

/** One request with its reply, and what its client did right and wrong. */
export interface ExaminedRequest {
  /** Masked, as is the path. */
  readonly method: string;
  readonly path: string;
  /** Undefined when its address is no operation's. */
  readonly route: Route | undefined;
  readonly status: number;
  /** Why the sandbox refused it; undefined when it was carried out. */
  readonly refusal: Refusal | undefined;
  /** What is wrong with everything but the signature, by the rules of the audit report. */
  readonly violations: readonly RuleViolation[];
  readonly signature: SignatureFinding;
}

/**
 * `unchecked`: nothing can be said of it before the form is put right. `none`: the operation is not signed. A wrong one
 * comes with a diagnosis where a search was possible; its mistakes may be none that is known.
 */
export type SignatureFinding =
  | { readonly state: 'right' | 'none' | 'unchecked' }
  | {
      readonly state: 'wrong';
      readonly detail: string;
      /** What the audit report calls it; `isPlain` when that says no more than that it does not match. */
      readonly rule: RuleId;
      readonly isPlain: boolean;
      readonly diagnosis: Diagnosis;
    };

const unchecked: SignatureFinding = { state: 'unchecked' };

/** A request that was answered at a time of the machine. */
export interface AnsweredRequest {
  readonly at: number;
  readonly request: SandboxRequest;
  readonly reply: Pick<SandboxReply, 'status' | 'refusal'>;
}

/** Looks at a request after it was answered. A gateway stops at the first fault; this goes on. */
export function examineRequest(
  { machine, ...rest }: Store,
  settings: SandboxSettings,
  { at, request, reply: { status, refusal } }: AnsweredRequest,
): ExaminedRequest {
  const store: Store = { ...rest, machine: { ...machine, now: () => at } };
  const route = findRoute(request);
  const about = { method: maskMethod(request), path: maskPath(request), route, status, refusal };
  if (refusal === undefined)
    return { ...about, violations: [], signature: { state: isUnsigned(route, settings) ? 'none' : 'right' } };
  const { pairs } = decodeBody(request.body);
  const merchant = route === undefined ? undefined : merchantOf(store, route.endpointId);
  const signature =
    route === undefined || merchant === undefined
      ? unchecked
      : examineSignature(store, settings, { request, route, merchant, refusal, pairs });
  const violations = withoutConsequences(refusal.violations);
  return { ...about, violations, signature };
}

/** The fields of a body that is no form cannot be told from one another. */
function withoutConsequences(violations: readonly RuleViolation[]): readonly RuleViolation[] {
  return violations.some(({ rule }) => rule === 'content-type')
    ? violations.filter(({ rule }) => !rule.startsWith('field-'))
    : violations;
}

function findRoute(request: SandboxRequest): Route | undefined {
  try {
    return routeOf(request);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function isUnsigned(route: Route | undefined, { assume }: SandboxSettings): boolean {
  return route !== undefined && protectionOf(route.row, assume).scheme === 'none';
}

interface RefusedAtMerchant {
  readonly request: SandboxRequest;
  readonly route: Route;
  readonly merchant: SandboxMerchant;
  readonly refusal: Refusal;
  readonly pairs: Received['pairs'];
}

function examineSignature(store: Store, settings: SandboxSettings, refused: RefusedAtMerchant): SignatureFinding {
  const { request, route, merchant, refusal } = refused;
  const { pairs } = withLostPlusSigns(refused.pairs, request.body, route.row, settings.assume);
  const protection = protectionOf(route.row, settings.assume);
  if (protection.scheme === 'none') return { state: 'none' };
  if (request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== formType) return unchecked;
  const received = receivedFrom(request, { route, protection, pairs, minor: minorIn(pairs, route, settings.assume) });
  const keys = verificationKeys({ merchant, protection });
  const verdict = requestSigning.verify(received, keys, settings.assume);
  const isControl = protection.scheme === 'control';
  const diagnosis = isControl ? undefined : diagnoseHeader(store, settings, received, merchant);
  if (verdict.ok)
    return refusal.reason.startsWith('oauth') ? wrongTime(store, settings, verdict, diagnosis) : { state: 'right' };
  const { detail, reason } = verdict;
  const known = reason === 'control-missing' ? reason : oauthRuleByReason[reason];
  const wrong = (found: Diagnosis = nothingKnown): SignatureFinding => ({
    state: 'wrong',
    detail,
    rule: known ?? (isControl ? 'control-wrong' : 'oauth-signature'),
    isPlain: known === undefined,
    diagnosis: found,
  });
  // A field that is missing may be one that was signed.
  const isShort = refusal.reason === 'invalid' && isAnyMissing(received, settings);
  if (!isControl)
    return isShort && known === undefined && diagnosis?.mistakes.length === 0 ? unchecked : wrong(diagnosis);
  if (reason === 'control-missing') return wrong();
  // What is still missing will change the checksum.
  if (refusal.reason === 'invalid' && isIncomplete(received)) return unchecked;
  const sent = pairs.find(([name]) => name === 'control')?.[1] ?? '';
  return wrong(findControlMistakes(controlCaseOf(received, merchant, store, settings.assume), sent));
}

const nothingKnown: Diagnosis = { match: false, mistakes: [], explanations: [] };

function isAnyMissing({ row, pairs }: Received, { assume }: SandboxSettings): boolean {
  return fieldsInForce(row, assume).some(
    ([, { need, wire }]) => need === 'required' && !pairs.some(([name, value]) => name === wire && value !== ''),
  );
}

/** A value of the recipe is not there, or cannot be read. */
function isIncomplete({ protection, row, pairs, minor }: Received): boolean {
  if (protection.scheme !== 'control') return false;
  return protection.values.some((name) => {
    const field = row.fields[name];
    if (field === undefined || name === 'login' || name === 'endpointId') return false;
    const isSent = pairs.some(([wire, value]) => wire === field.wire && value !== '');
    return isSent ? field.kind === 'amount' && minor === undefined : field.need === 'required';
  });
}

/** Undefined for a header that is not of OAuth at all. */
function diagnoseHeader(
  store: Store,
  settings: SandboxSettings,
  received: Received,
  merchant: SandboxMerchant,
): Diagnosis | undefined {
  const { authorization: header, protection } = received;
  if (header === undefined || !/^\s*oauth\s/i.test(header)) return undefined;
  const given = lenientCaseOf(received, verificationKeys({ merchant, protection }), settings.assume);
  const now = Math.floor(store.machine.now() / 1000);
  return undefinedOnText(() => diffOauth({ ...given, now }, { header }));
}

/** What a header lacks the search takes over from whatever can be read of it. */
function lenientCaseOf(received: Received, keys: Merchant, assume: Assume): OauthCase {
  const read = undefinedOnText(() => oauthCaseOf(received, keys, assume));
  if (read !== undefined) return read.given;
  const body = received.pairs.filter(([name]) => !name.startsWith('oauth_'));
  const plain = authorizationHeader([['oauth_consumer_key', keys.login]]);
  return { ...oauthCaseOf({ ...received, authorization: plain }, keys, assume).given, body, hasVersion: true };
}

/** Undefined for a text that cannot be read. */
function undefinedOnText<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isPaycliError(error) && (error.code === 'TEXT_INVALID' || error.code === 'URL_INVALID')) return undefined;
    throw error;
  }
}

/** A signature that fits and comes at the wrong time, or twice. */
function wrongTime(
  { machine }: Store,
  { assume }: SandboxSettings,
  { timestamp }: { readonly timestamp?: string },
  found: Diagnosis = nothingKnown,
): SignatureFinding {
  const window = Number(assume['oauth-window']);
  const off = Math.floor(machine.now() / 1000) - Number(timestamp);
  if (Math.abs(off) <= window) {
    const detail = 'oauth_nonce was used before';
    return { state: 'wrong', detail, rule: 'oauth-nonce', isPlain: false, diagnosis: nothingKnown };
  }
  const detail = `oauth_timestamp is ${Math.abs(off)} s ${off > 0 ? 'behind' : 'ahead of'} this machine's clock; at most ${window} are allowed`;
  // What is wrong with its form or its time zone says more.
  return { state: 'wrong', detail, rule: 'oauth-clock', isPlain: found.mistakes.length > 0, diagnosis: found };
}
