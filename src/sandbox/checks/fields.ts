import { isPaycliError } from '../../errors/index.js';

import { parseEndpointId } from '../../wire/address.js';
import { decimalText, digitsOf, parseAmount } from '../../wire/amount.js';
import { checkRequest, fieldsInForce, isAmountField, keysByWire, withoutOuterSpaces } from '../../wire/check.js';
import type { Pair } from '../../wire/form.js';
import type { Problem } from '../../wire/rules.js';
import { hasExpired } from '../../wire/time.js';
import { isTestNumber } from '../ledger/cards.js';
import type { SandboxMerchant } from '../ledger/merchants.js';
import type { Route, SandboxSettings } from './request.js';

/**
 * The values of a request by field key, without spaces at their ends; empty ones count as absent. Includes the login
 * wherever the operation has it.
 */
export function valuesOf(
  pairs: readonly Pair[],
  { row }: Route,
  settings: Pick<SandboxSettings, 'assume'>,
): Record<string, string> {
  const keys = keysByWire(row, settings.assume);
  const values: Record<string, string> = {};
  for (const [wire, value] of pairs) {
    const key = keys.get(wire);
    const text = withoutOuterSpaces(value);
    if (key !== undefined && text !== '') values[key] = text;
  }
  return values;
}

/** What is wrong with the endpoint id, undefined when it is a well-formed one. */
export function endpointFinding({ endpointId }: Route): string | undefined {
  try {
    parseEndpointId(endpointId);
    return undefined;
  } catch (error) {
    return isPaycliError(error) ? error.message : String(error);
  }
}

export function merchantFindings(pairs: readonly Pair[], { endpointId }: Route, merchant: SandboxMerchant): string[] {
  const findings: string[] = [];
  const sent = (wanted: string) => withoutOuterSpaces(pairs.find(([name]) => name === wanted)?.[1] ?? '');
  const login = sent('login');
  if (login !== '' && login !== merchant.login) findings.push(`login is not the merchant of endpoint ${endpointId}`);
  const taken = merchant.endpoints.find(({ id }) => id === endpointId)?.currency;
  const currency = sent('currency');
  if (taken !== undefined && currency !== '' && currency !== taken)
    findings.push(`endpoint ${endpointId} accepts ${taken} only`);
  return findings;
}

interface FieldReading {
  readonly findings: readonly string[];
  /** With amounts as decimal text. */
  readonly values: Readonly<Record<string, string>>;
  readonly amount: bigint | undefined;
  readonly digits: number;
}

/**
 * Checks the values against the row like the client does, but with wire names, and an expiry against `now` on the
 * sandbox clock.
 */
export function readFields(
  given: Readonly<Record<string, string>>,
  route: Route,
  settings: SandboxSettings,
  now: number,
): FieldReading {
  const { row, endpointId } = route;
  const { assume } = settings;
  const digits = digitsOf(given['currency'] ?? '', assume['minor-digits'], endpointId);
  const { values, findings } = toDecimal(given, route, settings, digits);
  const name = (key: string) => row.fields[key]?.wire ?? key;
  const problems = checkRequest(row, values, { assume, endpointId, name }).filter(
    ({ key }) => key === undefined || !findings.has(key),
  );
  const cards = settings.anyCard ? [] : cardFindings(values, route, settings);
  const all = [
    ...findings.values(),
    ...problems.map(({ why }) => why),
    ...cards,
    ...expiryFindings(values, problems, name, now),
  ];
  const amount = values['amount'];
  const isReadable = all.length === 0 && amount !== undefined;
  return {
    findings: all,
    values,
    amount: isReadable ? parseAmount(amount, values['currency'] ?? '', digits) : undefined,
    digits: digits ?? 0,
  };
}

const amountListForm = 'whole numbers of minor units separated by commas, such as 1000,500';

/** A03: under `minor` the body carries minor units; everything after this point uses decimal text. */
function toDecimal(
  given: Readonly<Record<string, string>>,
  { row }: Route,
  { assume }: SandboxSettings,
  digits: number | undefined,
) {
  const findings = new Map<string, string>();
  if (assume['body-amount'] !== 'minor') return { values: given, findings };
  const values: Record<string, string> = { ...given };
  for (const [key, field] of fieldsInForce(row, assume)) {
    const text = given[key];
    if (!isAmountField(field) || text === undefined) continue;
    const [form, items] =
      field.kind === 'amount'
        ? ['a whole number of minor units, such as 1042', [text]]
        : [amountListForm, text.split(',')];
    if (!items.every((item) => /^[1-9]\d{0,15}$/.test(item))) findings.set(key, `${field.wire} must be ${form} (A03)`);
    else if (digits !== undefined) values[key] = items.map((item) => decimalText(BigInt(item), digits)).join(',');
  }
  return { values, findings };
}

/**
 * A44: how an expired card is refused is not documented. Refused before anything is created, it cannot look like a
 * payment.
 */
function expiryFindings(
  { expireMonth: month, expireYear: year }: Readonly<Record<string, string>>,
  problems: readonly Problem[],
  name: (key: string) => string,
  now: number,
): string[] {
  const isReadable = !problems.some(({ key }) => key === 'expireMonth' || key === 'expireYear');
  return isReadable && hasExpired({ month, year }, now)
    ? [`${name('expireMonth')} and ${name('expireYear')}: the card has expired by the clock of the sandbox`]
    : [];
}

function cardFindings(values: Readonly<Record<string, string>>, { row }: Route, { assume }: SandboxSettings): string[] {
  const isStrange = (number = '') => /^\d{12,19}$/.test(number) && !isTestNumber(number);
  return fieldsInForce(row, assume)
    .filter(([key, { kind }]) => kind === 'cardNumber' && isStrange(values[key]))
    .map(
      ([, { wire }]) =>
        `${wire} is not a published test number, and the sandbox accepts no others; \`paycli sandbox outcomes\` lists them`,
    );
}
