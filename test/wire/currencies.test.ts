import { expect, test } from 'vitest';
import { isoDigits } from '../../src/wire/currencies.js';

/** The codes of ISO 4217 as the package iso-codes 4.15 of Debian has them. */
const listed = [
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF',
  'CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD',
  'GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP',
  'LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN',
  'PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS',
  'TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XAG XAU XBA XBB XBC XBD XCD',
  'XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWL',
];
const newer = 'XAD XCG ZWG';
const withdrawn = 'ANG CUC HRK SLL ZWL';
// Metals, units of account, tests, and no currency at all.
const noMoney = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX';

/** The minor units that ISO 4217 gives other than two digits. */
const digits: Readonly<Record<string, number>> = {
  ...{ BIF: 0, CLP: 0, DJF: 0, GNF: 0, ISK: 0, JPY: 0, KMF: 0, KRW: 0, PYG: 0, RWF: 0, UGX: 0, UYI: 0, VND: 0 },
  ...{ VUV: 0, XAF: 0, XOF: 0, XPF: 0, BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3, CLF: 4, UYW: 4 },
};

test('the table has the codes of ISO 4217, each with its minor unit', () => {
  const gone = new Set(`${withdrawn} ${noMoney}`.split(' '));
  const codes = `${listed.join(' ')} ${newer}`.split(' ').filter((code) => !gone.has(code));
  expect([...isoDigits]).toEqual(codes.sort().map((code) => [code, digits[code] ?? 2]));
});
