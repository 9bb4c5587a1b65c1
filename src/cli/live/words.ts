const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const groups = ['', ' thousand', ' million', ' billion', ' trillion', ' quadrillion'];
const parts = ['', 'tenth', 'hundredth', 'thousandth', 'ten-thousandth'];

/** An amount to be read aloud: `one hundred twenty-three USD and 45 hundredths (12345 in minor units)`. */
export function amountInWords(minor: bigint, digits: number, currency: string): string {
  const unit = 10n ** BigInt(digits);
  const rest = minor % unit;
  const fraction = digits === 0 ? '' : ` and ${rest} ${parts[digits] ?? ''}${rest === 1n ? '' : 's'}`;
  return `${numberInWords(minor / unit)} ${currency}${fraction} (${minor} in minor units)`;
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
