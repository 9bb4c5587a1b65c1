import { type FormReading, readForm } from '../../signing/request-form.js';
import { kindOf } from '../../spec/index.js';
import { fieldsInForce, protectionOf } from '../../wire/check.js';
import type { Pair } from '../../wire/form.js';
import { maskName, unknownNames } from '../checks/body.js';
import { merchantFindings, readFields } from '../checks/fields.js';
import type { CheckedRequest, Route, SandboxRequest, SandboxSettings } from '../checks/request.js';
import { isTestNumber } from '../ledger/cards.js';
import { merchantOf } from '../ledger/merchants.js';
import type { Refusal, RefusalName } from '../ledger/refusal.js';
import type { Store } from '../ledger/store.js';
import { transactionsOf } from '../ledger/transactions.js';
import type { RuleId } from './rules.js';

/** A refused request, as far as it was parsed. */
export interface RefusedRequest {
  readonly request: SandboxRequest;
  readonly route: Route | undefined;
  readonly checked: CheckedRequest | undefined;
  readonly settings: SandboxSettings;
  readonly refusal: Refusal;
  readonly pairs: readonly Pair[];
  readonly login: string | undefined;
  readonly orderId: string | undefined;
}

/** One broken rule. The detail says what exactly, without any value; equal details are counted together. */
export interface RuleViolation {
  readonly rule: RuleId;
  readonly detail: string;
}

/** At most this many findings per request: ten thousand wrong names are one mistake. */
export const maxPerRequest = 20;

export type Detector = (seen: RefusedRequest, store: Store) => readonly RuleViolation[];

export function violation(rule: RuleId, detail: string): readonly RuleViolation[] {
  return [{ rule, detail }];
}

export const noViolations: readonly RuleViolation[] = [];

const unexaminedRules: Partial<Readonly<Record<RefusalName, RuleId>>> = {
  control: 'control-wrong',
  oauth: 'oauth-signature',
  'oauth-clock': 'oauth-clock',
  'oauth-nonce': 'oauth-nonce',
};

/** A refused signature, where nothing that finds its mistake is loaded. */
export const checkUnexamined: Detector = ({ refusal, route }) => {
  const rule = unexaminedRules[refusal.reason];
  if (route === undefined || rule === undefined) return noViolations;
  return violation(rule, `${route.row.command}: not examined, because this sandbox does not listen`);
};

/** Address, method and size. */
export const checkAddress: Detector = ({ refusal, request, route, login }) => {
  if (refusal.reason === 'unknown-path') return violation('address-wrong', 'unknown operation path');
  if (refusal.reason === 'method') return violation('address-wrong', `${methodText(request.method)} instead of POST`);
  if (refusal.reason === 'too-large') return violation('body-too-large', refusal.message);
  if (route === undefined || refusal.reason !== 'invalid') return noViolations;
  const withQuery = /^[^#]*\?/.test(request.url)
    ? violation('address-wrong', `${route.row.command} with a query in the address`)
    : noViolations;
  return login === undefined
    ? [...withQuery, ...violation('endpoint-unknown', `${route.row.command} to an unknown endpoint`)]
    : withQuery;
};

function methodText(name: string): string {
  return /^[A-Z]{1,10}$/.test(name) ? name : 'an unknown method';
}

/** Headers, the form of the body, names and values. */
export const checkForm: Detector = (seen, store) => {
  const { refusal, request, route, settings } = seen;
  if (refusal.reason !== 'invalid' || route === undefined) return noViolations;
  const form = readForm(request, { ...route, assume: settings.assume });
  const ofForm = form.findings
    .filter(({ rule }) => rule !== 'address-wrong')
    .map(({ rule, detail }): RuleViolation => {
      const start =
        rule === 'accept-missing'
          ? `${route.row.command} `
          : rule.startsWith('accept') || rule === 'content-type'
            ? ''
            : `${route.row.command}: `;
      return { rule, detail: start + detail };
    });
  const found = [...ofForm, ...schemeViolations(seen, route)];
  // The fields of a body that is no form cannot be told from one another.
  return ofForm.some(({ rule }) => rule === 'content-type')
    ? found
    : [...found, ...fieldViolations(form, seen, route, store)];
};

function schemeViolations({ request, pairs, settings }: RefusedRequest, { row }: Route): readonly RuleViolation[] {
  const { scheme } = protectionOf(row, settings.assume);
  const isOauth = scheme === 'hmac-sha1' || scheme === 'rsa-sha256';
  if (isOauth && pairs.some(([name]) => name === 'control'))
    return violation('scheme-control-for-oauth', `${row.command} requires OAuth 1.0a, ${scheme.toUpperCase()}`);
  if (!isOauth && request.headers['authorization'] !== undefined)
    return violation(
      'scheme-oauth-for-control',
      `${row.command} takes ${scheme === 'control' ? 'the field control' : 'no signature'}`,
    );
  return noViolations;
}

function fieldViolations(form: FormReading, { settings }: RefusedRequest, route: Route, store: Store): RuleViolation[] {
  const { row } = route;
  const { pairs } = form;
  const unknown = unknownNames(pairs, row, protectionOf(row, settings.assume), settings.assume)
    // A misplaced control has its own rule.
    .filter((name) => name !== 'control')
    .slice(0, maxPerRequest)
    .map((name): RuleViolation => ({ rule: 'field-unknown', detail: `${row.command} has no field ${maskName(name)}` }));
  const merchant = merchantOf(store, route.endpointId);
  const isAmountNamed = form.findings.some(({ rule }) => rule === 'amount-form');
  const wrong = [
    ...readFields(form.values, route, { ...settings, anyCard: true }, store.clock.now()).findings,
    ...(merchant === undefined ? [] : merchantFindings(pairs, route, merchant)),
  ]
    .filter((why) => !(isAmountNamed && why.startsWith('amount')))
    .map((why): RuleViolation => ({ rule: 'field-wrong', detail: `${row.command}: ${why}` }));
  const cards = settings.anyCard
    ? []
    : fieldsInForce(row, settings.assume)
        .filter(([key, { kind }]) => kind === 'cardNumber' && isStrange(kindOf(kind).pattern, form.values[key] ?? ''))
        .map(
          ([, { wire }]): RuleViolation => ({
            rule: 'card-not-test',
            detail: `${row.command} with an unknown card number in ${wire}`,
          }),
        );
  return [...unknown, ...wrong, ...cards];
}

function isStrange(pattern: RegExp, number: string): boolean {
  return pattern.test(number) && !isTestNumber(number);
}

/** A follow-up on an order that is still processing. */
export const checkPrematureFollowUp: Detector = ({ refusal, route, orderId }, store) => {
  if (refusal.reason !== 'illegal-move' || route === undefined || orderId === undefined) return noViolations;
  const isOpen = transactionsOf(store, orderId).some(({ status }) => status === 'processing');
  return isOpen
    ? violation('acted-before-final', `${route.row.command} while the order was still processing`)
    : noViolations;
};
