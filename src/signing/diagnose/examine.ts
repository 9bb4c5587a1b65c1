import { isPaycliError } from '../../errors/index.js';
import type { Assume } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import { controlEncoding } from '../schemes/control-checksum.js';
import type { Merchant, Received, RefusalReason } from '../schemes/request.js';
import { requestSigning } from '../schemes/request-signing.js';
import { diagnoseControl } from './control.js';
import type { ControlCase } from './control-recipe.js';
import { type Diagnosis, diagnoseOauth } from './oauth.js';
import type { OauthCase } from './oauth-recipe.js';

/** What may have been taken for the values and the key of a request by mistake. */
export type Surroundings = Partial<Pick<ControlCase, 'original' | 'otherEndpoints' | 'otherLogins' | 'otherKeys'>> & {
  /** Fewer pairs than usual, where somebody waits for an answer. */
  readonly maxPairs?: number | undefined;
};

/** `none`: the operation is not signed. */
export type SignatureFinding =
  | { readonly state: 'right' | 'none'; readonly diagnosis: Diagnosis }
  | {
      readonly state: 'wrong';
      readonly reason: RefusalReason;
      /** Why it is refused, in words without values. */
      readonly detail: string;
      /** True where the reason says no more than that it does not match. */
      readonly isPlain: boolean;
      readonly diagnosis: Diagnosis;
    };

/** Verifies a request as the gateway does, and names what is wrong with its signature. */
export function examineSignature(
  received: Received,
  merchant: Merchant,
  assume: Assume,
  around: Surroundings = {},
): SignatureFinding {
  const { scheme } = received.protection;
  if (scheme === 'none') return { state: 'none', diagnosis: { match: true, mistakes: [] } };
  const verdict = requestSigning.verify(received, merchant, assume);
  const found =
    scheme === 'control' ? ofControl(received, merchant, assume, around) : ofHeader(received, merchant, assume, around);
  const mistakes = found?.mistakes ?? [];
  if (verdict.ok && mistakes.length === 0) return { state: 'right', diagnosis: { match: true, mistakes, ...found } };
  const detail = verdict.ok ? (mistakes[0]?.detail ?? '') : verdict.detail;
  const reason = verdict.ok ? 'oauth-signature' : verdict.reason;
  const isPlain = reason === 'oauth-signature' || detail.startsWith('control does not match');
  return { state: 'wrong', reason, detail, isPlain, diagnosis: { mistakes, ...found, match: false } };
}

const sentIn = ({ pairs }: Pick<Received, 'pairs'>, wire: string) => pairs.find(([name]) => name === wire)?.[1] ?? '';

function ofControl(received: Received, merchant: Merchant, assume: Assume, around: Surroundings) {
  const control = sentIn(received, 'control');
  if (control === '') return undefined;
  return diagnoseControl(controlCase(received, merchant, assume, around), { control }, around.maxPairs);
}

/** A request protected by a checksum, with its key. */
export function controlCase(
  received: Received,
  { login, controlKey }: Merchant,
  assume: Assume,
  around: Surroundings = {},
): ControlCase {
  const { protection, row, endpointId, pairs, minor } = received;
  const values = protection.scheme === 'control' ? protection.values : [];
  const slots = values.map((name) => {
    const wire = row.fields[name]?.wire ?? name;
    if (name === 'login') return { name, wire, value: login };
    if (name === 'endpointId') return { name, wire, value: endpointId };
    const value = row.fields[name]?.kind === 'amount' ? minor : undefined;
    return { name, wire, value: value ?? sentIn(received, wire) };
  });
  const key = controlKey.open();
  const { original, otherKeys = [], otherEndpoints = [], otherLogins = [] } = around;
  return {
    ...{ slots, key, encoding: controlEncoding(assume), login, endpointId, body: pairs, original, otherLogins },
    otherKeys: otherKeys.filter((other) => other.key !== key),
    otherEndpoints: otherEndpoints.filter((id) => id !== endpointId),
  };
}

/** Undefined where there is no OAuth header, or none that can be read. */
function ofHeader(
  received: Received,
  merchant: Merchant,
  assume: Assume,
  { maxPairs }: Surroundings,
): Diagnosis | undefined {
  const { authorization: header } = received;
  if (header === undefined || !/^\s*oauth\s/i.test(header)) return undefined;
  try {
    return diagnoseOauth(oauthCase(received, merchant, assume), { header }, maxPairs);
  } catch (error) {
    if (isPaycliError(error) && (error.code === 'TEXT_INVALID' || error.code === 'URL_INVALID')) return undefined;
    throw error;
  }
}

/** A request signed by OAuth, with its key; the parameters of its header come from the header. */
export function oauthCase(
  { url, pairs, protection }: Pick<Received, 'url' | 'pairs' | 'protection'>,
  { controlKey, publicKey }: Merchant,
  assume: Assume,
): OauthCase {
  return {
    ...{ url, protocol: [] as readonly Pair[], publicKey },
    // A07: what the body repeats counts once.
    body: pairs.filter(([name]) => !name.startsWith('oauth_')),
    signatureMethod: protection.scheme === 'rsa-sha256' ? 'RSA-SHA256' : 'HMAC-SHA1',
    keyForm: assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded',
    ...(protection.scheme === 'rsa-sha256' ? {} : { secret: controlKey.open() }),
  };
}
