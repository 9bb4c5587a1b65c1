/** ISO 4217: the codes of money, by how many fraction digits each has. */
const codesByDigits: readonly (readonly [digits: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [2, 'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF'],
  [2, 'CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ'],
  [2, 'GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD'],
  [2, 'MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON'],
  [2, 'RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS'],
  [2, 'UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/** How many fraction digits a currency has; the codes in alphabetical order. */
export const isoDigits: ReadonlyMap<string, number> = new Map(
  codesByDigits
    .flatMap(([digits, codes]) => codes.split(' ').map((code): [string, number] => [code, digits]))
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);
