import { decimalText } from '../../wire/amount.js';

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const groups = ['', ' thousand', ' million', ' billion', ' trillion', ' quadrillion'];

/** An amount with its words: `123.45 USD (one hundred twenty-three and 45/100 USD, 12345 in minor units)`. */
export function amountInWords(minor: bigint, digits: number, currency: string): string {
  const unit = 10n ** BigInt(digits);
  const rest = minor % unit;
  const fraction = rest === 0n ? '' : ` and ${String(rest).padStart(digits, '0')}/${unit}`;
  const words = `${numberInWords(minor / unit)}${fraction} ${currency}`;
  return `${decimalText(minor, digits)} ${currency} (${words}, ${minor} in minor units)`;
}

/** A whole number below a quintillion, in English. */
export function numberInWords(number: bigint): string {
  if (number === 0n) return small[0] ?? '';
  const words: string[] = [];
  for (let [left, at] = [number, 0]; left > 0n; left /= 1000n, at += 1) {
    const group = Number(left % 1000n);
    if (group > 0) words.unshift(belowThousand(group) + (groups[at] ?? ''));
  }
  return words.join(' ');
}

function belowThousand(number: number): string {
  const hundreds = number < 100 ? [] : [`${small[Math.floor(number / 100)] ?? ''} hundred`];
  const rest = number % 100;
  return [...hundreds, ...(rest === 0 ? [] : [belowHundred(rest)])].join(' ');
}

function belowHundred(number: number): string {
  const ten = tens[Math.floor(number / 10)] ?? '';
  if (number < 20) return small[number] ?? '';
  return number % 10 === 0 ? ten : `${ten}-${small[number % 10] ?? ''}`;
}
