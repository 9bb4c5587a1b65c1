import { suggest } from '../errors/index.js';
import { type Field, type Kind, kindOf } from '../spec/index.js';
import { isWebAddress } from './address.js';
import { currencyHint, isCurrency } from './amount.js';

interface Check {
  readonly holds: (text: string) => boolean;
  /** Fits after the name of the field and a colon. */
  readonly why: string;
}

/** Checks that a pattern cannot make. Each may rely on the pattern of its kind. */
export const valueChecks: Readonly<Record<NonNullable<Kind['check']>, Check>> = {
  luhn: {
    holds: (text) => hasCheckDigit(text) && /[1-9]/.test(text),
    why: 'check the number: its check digit is wrong',
  },
  currency: { holds: isCurrency, why: 'use an ISO 4217 currency code' },
  country: { holds: isCountry, why: 'use an ISO 3166 country code' },
  date: { holds: isDate, why: 'use a date that exists' },
  'compact-date': {
    holds: (text) => isDate(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`),
    why: 'use a date that exists',
  },
  url: { holds: isWebAddress, why: 'use an http or https address with a host and without a user name' },
  ip: { holds: isIp, why: 'use an IPv4 or IPv6 address' },
  'amount-list': { holds: isAmountList, why: 'use amounts above zero separated by commas, such as 10.00,5.00' },
  base64: { holds: isBase64, why: 'use complete Base64: its length or its padding is wrong' },
};

/** The formula of Luhn over the digits of a card number. */
function hasCheckDigit(number: string): boolean {
  const values = [...number].reverse().map((digit, at) => Number(digit) * (at % 2 === 0 ? 1 : 2));
  const sum = values.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
}

/** A hint for a wrong value: the right one that was probably meant; of the text itself at most its capitals. */
export function hintFor(field: Field, text: string): string {
  if (field.values !== undefined) return suggest(text, field.values);
  switch (field.kind) {
    case 'currency':
      return currencyHint(text);
    case 'boolean':
      return suggest(text, ['true', 'false']);
    case 'country':
      return isCountry(text.toUpperCase()) ? `; did you mean ${text.toUpperCase()}?` : '';
    default:
      return '';
  }
}

/**
 * Whether a text such as 2030-01-31 is a day. Date takes the 30th of February for the 2nd of March, so it must come
 * back as it went in.
 */
export function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

// Not node:net, which costs a millisecond of every start; the URL parser knows IPv6 as well.
function isIp(text: string): boolean {
  return ipv4.test(text) || (text.includes(':') && URL.canParse(`http://[${text}]/`));
}

function isAmountList(text: string): boolean {
  const amount = kindOf('amount');
  return text.split(',').every((item) => amount.pattern.test(item));
}

// RFC 4648: 6 bits a character, so a single character is left over by no number of bytes; padding fills groups of four.
function isBase64(text: string): boolean {
  const bare = text.replace(/=+$/, '');
  const isMixed = /[+/]/.test(bare) && /[-_]/.test(bare);
  return bare.length % 4 !== 1 && (bare.length === text.length || text.length % 4 === 0) && !isMixed;
}

// ISO 3166-1 alpha-2, the 249 codes officially assigned.
const assigned =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
  'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT ' +
  'MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
  'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
  'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

const codes: ReadonlySet<string> = new Set(assigned.split(' '));

export function isCountry(text: string): boolean {
  return codes.has(text);
}
