import type { SignatureFinding as Finding } from '../../signing/diagnose/examine.js';
import { examineSignature, type OriginalOrder, type Surroundings } from '../../signing/diagnose/index.js';
import type { Received, RefusalReason } from '../../signing/index.js';
import { readForm } from '../../signing/request-form.js';
import { decimalText } from '../../wire/amount.js';
import { fieldsInForce, protectionOf } from '../../wire/check.js';
import { decodeBody, receivedFrom, routeOf, verificationKeys } from '../checks.js';
import { events } from '../log.js';
import { maskMethod, maskPath } from '../masking.js';
import { listMerchants, merchantOf, type SandboxMerchant } from '../merchants.js';
import { type Order, orderByClientId, orderById } from '../orders.js';
import { orRefusal, Refusal, type RuleViolation } from '../refusal.js';
import type { Route, SandboxReply, SandboxRequest, SandboxSettings } from '../request.js';
import type { Store } from '../store.js';
import { type Judge, judgeForm, type RefusedRequest } from './judge.js';
import type { RuleId } from './rules.js';

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

/** `unchecked`: nothing can be said of it before the form is put right. */
export type SignatureFinding =
  | { readonly state: 'right' | 'none' | 'unchecked' }
  | (Extract<Finding, { state: 'wrong' }> & {
      /** Where the sandbox alone knows what is wrong: a clock, a nonce. */
      readonly rule?: RuleId;
    });

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
  const found = orRefusal(() => routeOf(request, settings.isCompatible));
  const route = found instanceof Refusal ? undefined : found;
  const about = { method: maskMethod(request), path: maskPath(request), route, status, refusal };
  const isUnsigned = route !== undefined && protectionOf(route.row, settings.assume).scheme === 'none';
  if (refusal === undefined) return { ...about, violations: [], signature: { state: isUnsigned ? 'none' : 'right' } };
  const { pairs } = decodeBody(request.body);
  const login = route === undefined ? undefined : merchantOf(store, route.endpointId)?.login;
  const seen = { request, route, checked: undefined, settings, refusal, pairs, login, orderId: undefined };
  return { ...about, violations: judgeForm(seen, store), signature: examineRefused(store, seen) };
}

/** The signature of a refused request, over what its body means. */
function examineRefused(
  store: Store,
  { request, route, checked, settings: given, refusal }: RefusedRequest,
  maxPairs?: number,
): SignatureFinding {
  const merchant = route === undefined ? undefined : merchantOf(store, route.endpointId);
  if (route === undefined || merchant === undefined) return unchecked;
  const settings = checked?.settings ?? given;
  const { assume } = settings;
  const form = readForm(request, { ...route, assume });
  if (form.findings.some(({ rule }) => rule === 'content-type')) return unchecked;
  const protection = protectionOf(route.row, assume);
  const received = receivedFrom(request, { route, protection, pairs: form.pairs }, form.minor);
  const keys = verificationKeys({ merchant, protection });
  const found = examineSignature(received, keys, assume, { ...surroundings(store, received, merchant), maxPairs });
  if (found.state !== 'wrong') return refusal.reason.startsWith('oauth-') ? wrongTime(refusal) : { state: found.state };
  const isUnexplained = found.isPlain && found.diagnosis.mistakes.length === 0;
  // What is still missing may be what was signed.
  if (refusal.reason === 'invalid' && isUnexplained && isAnyMissing(received, settings)) return unchecked;
  return refusal.reason === 'oauth-clock' ? { ...found, rule: 'oauth-clock' } : found;
}

function isAnyMissing({ row, pairs }: Received, { assume }: SandboxSettings): boolean {
  return fieldsInForce(row, assume).some(
    ([, { need, wire }]) => need === 'required' && !pairs.some(([name, value]) => name === wire && value !== ''),
  );
}

/** A signature that fits and comes at the wrong time, or twice. */
function wrongTime({ reason, message }: Refusal): SignatureFinding {
  const diagnosis = { match: false, mistakes: [] };
  const rule = reason === 'oauth-nonce' ? 'oauth-nonce' : 'oauth-clock';
  return { state: 'wrong', reason: 'oauth-signature', detail: message, isPlain: false, rule, diagnosis };
}

const maxMerchants = 20;

/** The values of the order that it follows, and those of other merchants. */
function surroundings(store: Store, { pairs }: Received, { login }: SandboxMerchant): Surroundings {
  const sent = (wire: string) => pairs.find(([name]) => name === wire)?.[1] ?? '';
  const order = orderById(store, login, sent('orderid')) ?? orderByClientId(store, login, sent('client_orderid'));
  const merchants = listMerchants(store).slice(0, maxMerchants);
  const others = merchants.filter((each) => each.login !== login);
  return {
    original: order === undefined ? undefined : originalOrder(store, order),
    otherEndpoints: merchants.flatMap(({ endpoints }) => endpoints.map(({ id }) => id)),
    otherLogins: others.map((each) => each.login),
    otherKeys: others.map((each) => ({ name: `the merchant ${each.login}`, key: each.controlKey })),
  };
}

/** As the request that made it had them. */
function originalOrder(store: Store, { id, clientOrderId, amount, currency = '', digits }: Order): OriginalOrder {
  const [minor, amountText] = amount === undefined ? ['', ''] : [String(amount), decimalText(amount, digits)];
  const [made] = events.all(store, "WHERE order_id = ? AND kind = 'request' ORDER BY id LIMIT 1", id);
  const email = made?.fields.find(([name]) => name === 'email')?.[1] ?? '';
  return { amount: minor, amountText, currency, email, orderId: id, clientOrderId };
}

const ruleByReason: Partial<Readonly<Record<RefusalReason, RuleId>>> = {
  ...{ 'control-missing': 'control-missing', 'oauth-missing': 'oauth-missing', 'oauth-malformed': 'oauth-header' },
  ...{ 'oauth-parameters': 'oauth-header', 'oauth-version': 'oauth-header', 'oauth-method': 'oauth-method' },
  'oauth-consumer': 'oauth-consumer',
};

/** The rule that a wrong signature breaks, where the reason of its refusal tells. */
export function ruleOfReason(finding: Extract<SignatureFinding, { state: 'wrong' }>, isControl: boolean): RuleId {
  return finding.rule ?? ruleByReason[finding.reason] ?? (isControl ? 'control-wrong' : 'oauth-signature');
}

// A request is answered quickly, whatever it holds.
const maxPairs = 4000;
const maxBody = 20_000;
/** An RSA signature of 4096 bits and everything beside it fit in. */
const maxHeader = 2000;

/** What is wrong with a refused signature, or with the time it comes at. Costly to load. */
export const judgeSignature: Judge = (seen, store) => {
  const { refusal, route } = seen;
  if (route === undefined || !/^(?:control|oauth)/.test(refusal.reason)) return [];
  const isControl = refusal.reason === 'control';
  const { command } = route.row;
  const { body, headers } = seen.request;
  if (body.length > maxBody || (headers['authorization'] ?? '').length > maxHeader)
    return [{ rule: isControl ? 'control-wrong' : 'oauth-signature', detail: `${command}: too long to diagnose` }];
  const finding = examineRefused(store, seen, maxPairs);
  if (finding.state !== 'wrong') return [];
  const rule = ruleOfReason(finding, isControl);
  const { mistakes } = finding.diagnosis;
  const unexplained = finding.isPlain ? 'no known mistake explains it' : finding.detail;
  const details = mistakes.length === 0 ? [unexplained] : mistakes.map(({ detail, fix }) => `${detail}; ${fix}`);
  return details.map((detail) => ({ rule, detail: `${command}: ${detail}` }));
};
