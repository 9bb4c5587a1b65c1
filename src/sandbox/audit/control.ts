import { type ControlCase, type ControlMistakeName, findControlMistakes, type Mistake } from '../../signing/diagnose/index.js';
import { controlEncoding, requestSigning } from '../../signing/index.js';
import { minorText } from '../../wire/amount.js';
import { keysOf, receivedOf } from '../checks/signature.js';
import { listMerchants } from '../merchants.js';
import type { Checked } from '../request.js';
import type { Store } from '../store.js';
import type { RuleId } from './rules.js';
import { type Detector, nothing, sighting } from './seen.js';

const byName = {
  order: 'control-order',
  'decimal-amount': 'control-decimals',
  'missing-email': 'control-value-missing',
  'endpoint-login': 'control-value-other',
  'orderid-text': 'control-value-other',
  'amount-currency': 'control-value-other',
  'endpoint-group': 'control-value-other',
  'key-whitespace': 'control-key-newline',
  'other-key': 'control-key-wrong',
  'upper-case': 'control-upper-case',
  base64: 'control-base64',
  charset: 'control-encoded',
  digest: 'control-hash',
} as const satisfies Record<ControlMistakeName, RuleId>;
const ruleNames: ReadonlyMap<string, RuleId> = new Map(Object.entries(byName));
// Where a value is another one, the way it is tells more.
const byVariant: Readonly<Record<string, RuleId>> = {
  'left-out': 'control-value-missing',
  both: 'control-value-extra',
  kept: 'control-value-extra',
};

// A request is answered quickly, whatever it holds.
const mostTries = 1000;
const mostMerchants = 20;

/** A control that does not fit: tries the mistakes people make until one of them explains it. */
export const control: Detector = ({ refusal, request, checked }, store) => {
  if (refusal.reason !== 'control' || checked === undefined || checked.protection.scheme !== 'control') return nothing;
  const { route, terms } = checked;
  const verdict = requestSigning.verify(receivedOf(request, checked), keysOf(checked), terms.assume);
  if (!verdict.ok && verdict.reason === 'control-missing') return sighting('control-missing', `${route.id} without control`);
  const sent = checked.pairs.find(([name]) => name === 'control')?.[1] ?? '';
  const [mistakes] = findControlMistakes(caseOf(checked, store), sent, { most: mostTries }).explanations;
  if (mistakes === undefined) return sighting('control-wrong', `${route.id}: no known mistake explains it`);
  return mistakes.map((mistake) => ({ rule: ruleOf(mistake), detail: `${route.id}: ${mistake.detail}` }));
};

function caseOf({ protection, route, merchant, pairs, amount, terms }: Checked, store: Store): ControlCase {
  const sent = (wire: string) => pairs.find(([name]) => name === wire)?.[1] ?? '';
  const { row, endpointId } = route;
  const slots = (protection.scheme === 'control' ? protection.values : []).map((name) => {
    const wire = row.fields[name]?.wire ?? name;
    if (name === 'login') return { name, wire, value: merchant.login };
    if (name === 'endpointId') return { name, wire, value: endpointId };
    return { name, wire, value: row.fields[name]?.kind === 'amount' && amount !== undefined ? minorText(amount) : sent(wire) };
  });
  const merchants = listMerchants(store).slice(0, mostMerchants);
  const others = merchants.filter(({ login }) => login !== merchant.login);
  const endpoints = merchants.flatMap((each) => each.endpoints.map(({ id }) => id));
  return {
    slots,
    key: merchant.controlKey,
    encoding: controlEncoding(terms.assume),
    amountText: sent('amount') === '' ? undefined : sent('amount'),
    currency: sent('currency'),
    login: merchant.login,
    endpointId,
    otherEndpoints: endpoints.filter((id) => id !== endpointId),
    otherKeys: others.map(({ login, controlKey }) => ({ name: `the merchant ${login}`, key: controlKey })),
  };
}

function ruleOf({ name, variant }: Mistake): RuleId {
  const rule = ruleNames.get(name) ?? 'control-wrong';
  return rule === 'control-value-other' ? (byVariant[variant] ?? rule) : rule;
}
