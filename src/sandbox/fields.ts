import { isPaycliError } from '../errors/index.js';
import { parseEndpointId } from '../wire/address.js';
import { decimalText, digitsOf, parseAmount } from '../wire/amount.js';
import { checkRequest, fieldsInForce, isAmountField, keysByWire, withoutOuterSpaces } from '../wire/check.js';
import type { Pair } from '../wire/form.js';
import type { Problem } from '../wire/rules.js';
import { hasExpired } from '../wire/time.js';
import type { RuleId } from './audit/rules.js';
import { isTestNumber } from './cards.js';
import type { SandboxMerchant } from './merchants.js';
import type { Route, SandboxSettings } from './request.js';

/** Something wrong with the form of a request, by the rule of the audit that it breaks. Repeats no value. */
export interface FormFinding {
  readonly rule: RuleId;
  readonly why: string;
  /** A compatible sandbox takes it all the same, and reports it. */
  readonly isTakenAnyway?: true;
}

const wrongField = (why: string): FormFinding => ({ rule: 'field-wrong', why });

/** The values of a request by field key; empty ones count as absent. Includes the login wherever the operation has it. */
export function valuesOf(
  pairs: readonly Pair[],
  { row }: Route,
  settings: Pick<SandboxSettings, 'assume'>,
): Record<string, string> {
  const keys = keysByWire(row, settings.assume);
  const values: Record<string, string> = {};
  for (const [wire, value] of pairs) {
    const key = keys.get(wire);
    if (key !== undefined && value !== '') values[key] = value;
  }
  return values;
}

const minorForm = /^[1-9]\d{0,15}$/;

/** What is wrong with the endpoint of a request, and with what it says of its merchant. */
export function endpointFindings(
  pairs: readonly Pair[],
  { endpointId }: Route,
  merchant: SandboxMerchant | undefined,
): FormFinding[] {
  const unknown = (why: string): FormFinding[] => [{ rule: 'endpoint-unknown', why }];
  try {
    parseEndpointId(endpointId);
  } catch (error) {
    return unknown(isPaycliError(error) ? error.message : String(error));
  }
  if (merchant === undefined)
    return unknown(`end point with id ${endpointId} not found; \`paycli sandbox status\` lists the existing ones`);
  const sent = (wanted: string) => withoutOuterSpaces(pairs.find(([name]) => name === wanted)?.[1] ?? '');
  const [login, currency] = [sent('login'), sent('currency')];
  const taken = merchant.endpoints.find(({ id }) => id === endpointId)?.currency;
  return [
    ...(login === '' || login === merchant.login
      ? []
      : [wrongField(`login is not the merchant of endpoint ${endpointId}`)]),
    ...(taken === undefined || currency === '' || currency === taken
      ? []
      : [wrongField(`endpoint ${endpointId} accepts ${taken} only`)]),
  ];
}

interface FieldReading {
  readonly findings: readonly FormFinding[];
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
  const { values, misread } = toDecimal(given, route, settings, digits);
  const name = (key: string) => row.fields[key]?.wire ?? key;
  const problems = checkRequest(row, values, { assume, endpointId, name }).filter(
    ({ key }) => key === undefined || !misread.has(key),
  );
  const findings = [
    ...[...misread.values(), ...problems.map(({ why }) => why)].map(wrongField),
    ...(settings.anyCard ? [] : cardFindings(values, route, settings)),
    ...expiryFindings(values, problems, name, now),
  ];
  const amount = values['amount'];
  const isReadable = findings.length === 0 && amount !== undefined;
  return {
    findings,
    values,
    amount: isReadable ? parseAmount(amount, values['currency'] ?? '', digits) : undefined,
    digits: digits ?? 0,
  };
}

const amountForms: Readonly<Record<string, string>> = {
  amount: 'a whole number of minor units, such as 1042',
  amountList: 'whole numbers of minor units separated by commas, such as 1000,500',
};

/** A03: under `minor` the body carries minor units; everything after this point uses decimal text. */
function toDecimal(
  given: Readonly<Record<string, string>>,
  { row }: Route,
  { assume }: SandboxSettings,
  digits: number | undefined,
) {
  const misread = new Map<string, string>();
  if (assume['body-amount'] !== 'minor') return { values: given, misread };
  const values: Record<string, string> = { ...given };
  for (const [key, field] of fieldsInForce(row, assume)) {
    const text = given[key];
    if (!isAmountField(field) || text === undefined) continue;
    const items = field.kind === 'amount' ? [text] : text.split(',');
    if (!items.every((item) => minorForm.test(item)))
      misread.set(key, `${field.wire} must be ${amountForms[field.kind]} (A03)`);
    else if (digits !== undefined) values[key] = items.map((item) => decimalText(BigInt(item), digits)).join(',');
  }
  return { values, misread };
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
): FormFinding[] {
  const isReadable = !problems.some(({ key }) => key === 'expireMonth' || key === 'expireYear');
  return isReadable && hasExpired({ month, year }, now)
    ? [wrongField(`${name('expireMonth')} and ${name('expireYear')}: the card has expired by the clock of the sandbox`)]
    : [];
}

function cardFindings(
  values: Readonly<Record<string, string>>,
  { row }: Route,
  { assume }: SandboxSettings,
): FormFinding[] {
  const isStrange = (number = '') => /^\d{12,19}$/.test(number) && !isTestNumber(number);
  return fieldsInForce(row, assume)
    .filter(([key, { kind }]) => kind === 'cardNumber' && isStrange(values[key]))
    .map(([, { wire }]) => ({
      rule: 'card-not-test',
      why: `${wire} is not a published test number, and the sandbox accepts no others; \`paycli sandbox outcomes\` lists them`,
    }));
}
