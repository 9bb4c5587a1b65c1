/** The texts that programs make of an amount; first the likeliest. */
export type Spelling = readonly [variant: string, detail: string, text: string];

/** Of a number of at most 15 digits, written with a point or without. */
export function numberSpellings(text: string, currency?: string): Spelling[] {
  if (!/^\d{1,15}(?:\.\d{1,6})?$/.test(text)) return [];
  const seen = new Set([text]);
  return [...spellings(text, currency)].filter(([, , made]) => {
    if (seen.has(made)) return false;
    seen.add(made);
    return true;
  });
}

function* spellings(text: string, currency: string | undefined): Generator<Spelling> {
  const number = Number(text);
  const [whole = '', digits = ''] = text.split('.');
  yield ['number', 'as a programming language prints a number', String(number)];
  yield ['number', 'as a floating-point number', decimal(number)];
  for (const count of [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 18, 20])
    yield ['digits', `with ${count} decimals`, number.toFixed(count)];
  yield ['whole', 'without its decimals', whole.replace(/^0+(?=\d)/, '')];
  yield ['minor', 'in minor units', minorUnits(whole, digits, 2)];
  for (const count of [0, 1, 3, 4]) yield ['minor', 'in other units', minorUnits(whole, digits, count)];
  yield ['minor', 'in minor units, truncated', String(Math.trunc(number * 100))];
  yield ['minor', 'in minor units, as a floating-point number', decimal(Math.round(number * 100))];
  yield ['minor', 'in minor units, with two decimals', `${minorUnits(whole, digits, 2)}.00`];
  yield ['floating', 'as a floating-point product', String(number * 100)];
  yield ['floating', 'as a floating-point quotient', String(number / 100)];
  yield ['floating', 'in major units', (number / 100).toFixed(2)];
  yield ['floating', 'as a 32-bit float', String(Math.fround(number))];
  yield ['floating', 'with all digits of the binary floating-point number', exact(number)];
  yield ['floating', 'as a 32-bit float, with all its digits', exact(Math.fround(number))];
  yield* withoutZeros(text, number);
  yield* singlePrecision(number);
  yield* withMarks(text, number, whole, digits);
  yield* withExponent(number);
  yield* padded(text, number);
  yield* fractions(whole, digits);
  if (currency !== undefined) yield* ofCurrency([text, number.toFixed(2), String(number), whole], currency);
  for (const made of [text, number.toFixed(2), String(number)]) {
    yield ['signed', 'with a plus sign', `+${made}`];
    yield ['signed', 'with a minus sign', `-${made}`];
    yield ['quoted', 'in quotes', `"${made}"`];
    yield ['typed', 'with a type suffix', `${made}m`];
    yield ['typed', 'with a type suffix', `${made}f`];
    yield ['typed', 'with a type suffix', `${made}d`];
    yield ['printed', 'as Go prints a number for the wrong verb', `%!d(float64=${made})`];
    yield ['printed', 'as Go prints a number for the wrong verb', `%!s(float64=${made})`];
    yield ['printed', 'as Go prints a number for the wrong verb', `%!s(int=${made})`];
    yield ['printed', 'as Python prints a Decimal', `Decimal('${made}')`];
  }
  yield ['radix', 'in hexadecimal', BigInt(minorUnits(whole, digits, digits.length)).toString(16)];
  yield [
    'radix',
    'in upper-case hexadecimal',
    BigInt(minorUnits(whole, digits, digits.length))
      .toString(16)
      .toUpperCase(),
  ];
  yield ['radix', 'in octal', BigInt(minorUnits(whole, digits, digits.length)).toString(8)];
  for (const mark of [' %', '%']) yield ['percent', 'as a percentage', grouped((number * 100).toFixed(2), ',') + mark];
}

function* withoutZeros(text: string, number: number): Generator<Spelling> {
  yield ['no-zero', 'without the zero before its point', text.replace(/^0+(?=\.)/, '')];
  yield ['no-zero', 'without the zero before its point', String(number).replace(/^0+(?=\.)/, '')];
  yield ['no-zero', 'without the zeros at its end', text.replace(/\.?0+$/, '')];
}

/** Products of a 32-bit number, which has about seven digits. */
function* singlePrecision(number: number): Generator<Spelling> {
  const detail = 'in other units, as a 32-bit float';
  const single = Math.fround(number);
  for (const factor of [1, 10, 100, 1000])
    for (const product of [single * factor, Math.fround(single * factor)]) {
      for (const whole of [Math.trunc(product), Math.round(product)]) yield ['floating', detail, String(whole)];
      yield ['floating', detail, String(product)];
      yield ['floating', detail, decimal(product)];
      yield ['floating', detail, String(Number(product.toPrecision(7)))];
      yield ['floating', detail, String(Number(product.toPrecision(9)))];
      yield ['floating', detail, product.toFixed(2)];
    }
}

const decimal = (number: number) => (Number.isInteger(number) ? `${number}.0` : String(number));

/** Without rounding: toPrecision has at most a hundred digits. */
function exact(number: number): string {
  const text = number.toFixed(100 - Math.ceil(Math.log10(Math.max(1, number)) + 1));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function minorUnits(whole: string, digits: string, count: number): string {
  return (whole + digits.padEnd(count, '0').slice(0, count)).replace(/^0+(?=\d)/, '');
}

export function grouped(text: string, mark: string, point = '.'): string {
  const [whole = '', ...rest] = text.split('.');
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, mark), ...rest].join(point);
}

const groupMarks = [',', '.', ' ', '\u00a0', '\u202f', "'", '’', '_'];

function* withMarks(text: string, number: number, whole: string, digits: string): Generator<Spelling> {
  const plain = new Set([
    text,
    number.toFixed(2),
    String(number),
    decimal(number),
    number.toFixed(0),
    number.toFixed(1),
    number.toFixed(3),
    number.toFixed(4),
  ]);
  for (const each of plain) yield ['comma', 'with a decimal comma', each.replace('.', ',')];
  for (const mark of groupMarks)
    for (const each of plain)
      for (const point of mark === ',' ? ['.'] : ['.', ','])
        yield ['grouped', 'with thousands separators', grouped(each, mark, point)];
  for (const mark of groupMarks)
    yield ['grouped', 'with thousands separators', grouped(minorUnits(whole, digits, digits.length), mark)];
  for (const mark of ['-', ':', ' ', '٫', '_'])
    yield ['comma', 'with another decimal separator', number.toFixed(2).replace('.', mark)];
}

function* withExponent(number: number): Generator<Spelling> {
  const detail = 'with an exponent';
  const [shortest = '', itsPower = '0'] = number.toExponential().split('e');
  const plainPower = String(Number(itsPower));
  // Java, its BigDecimal, Go and Python.
  yield ['exponent', detail, `${shortest.includes('.') ? shortest : `${shortest}.0`}E${plainPower}`];
  yield ['exponent', detail, `${shortest}E${itsPower}`];
  yield ['exponent', detail, `${shortest}e${itsPower.replace(/^([+-])(\d)$/, '$10$2')}`];
  yield ['exponent', detail, `${shortest}e${itsPower}`];
  for (const count of [0, 1, 2, 3, 4, 5, 6, 7, 15, 16]) {
    const [mantissa = '', exponent = ''] = number.toExponential(count).split('e');
    const [sign, power] = [exponent.slice(0, 1), exponent.slice(1)];
    for (const letter of ['e', 'E'])
      for (const width of [2, 3, 1])
        yield ['exponent', detail, `${mantissa}${letter}${sign}${power.padStart(width, '0')}`];
    yield ['exponent', detail, `${mantissa}E${sign === '-' ? '-' : ''}${power}`];
    yield ['exponent', detail, `${mantissa}e${sign === '-' ? '-' : ''}${power}`];
  }
  const [mantissa = '', exponent = '0'] = number.toExponential().split('e');
  const power = Number(exponent);
  // Java and Ruby: BigDecimal.
  yield ['exponent', detail, `${mantissa}E${power < 0 ? '' : '+'}${power}`];
  yield ['exponent', detail, `${mantissa}e${power < 0 ? '' : '+'}${String(power).padStart(2, '0')}`];
  yield ['exponent', 'as Ruby prints a BigDecimal', `0.${mantissa.replace('.', '')}e${power + 1}`];
  const [stripped = '', rest = ''] = /^(\d*?)(0+)$/.exec(String(number))?.slice(1) ?? [];
  if (rest !== '') {
    const [first = '', ...others] = stripped;
    yield [
      'exponent',
      'as Java prints a BigDecimal',
      `${first}${others.length > 0 ? `.${others.join('')}` : ''}E+${power}`,
    ];
  }
}

function* padded(text: string, number: number): Generator<Spelling> {
  const plain = [text, number.toFixed(2), String(number), number.toFixed(1), text.replace('.', '')];
  for (const each of new Set(plain))
    for (let width = each.length + 1; width <= 20; width += 1) {
      yield ['padded', `padded with zeros to ${width} characters`, each.padStart(width, '0')];
      yield ['padded', `padded with spaces to ${width} characters`, each.padStart(width, ' ')];
      yield ['padded', `padded with spaces to ${width} characters`, each.padEnd(width, ' ')];
      yield ['padded', `padded with zeros at the end to ${width} characters`, each.padEnd(width, '0')];
    }
}

function* fractions(whole: string, digits: string): Generator<Spelling> {
  const [over, under] = [BigInt(whole + digits), 10n ** BigInt(digits.length)];
  yield ['fraction', 'as a fraction', reduced(over, under)];
  yield ['fraction', 'divided by 100, as a fraction', reduced(over, under * 100n)];
  yield ['fraction', 'as a fraction in parentheses', `(${reduced(over, under)})`];
  yield ['fraction', 'as a fraction in parentheses', `(${reduced(over, under * 100n)})`];
}

function reduced(over: bigint, under: bigint): string {
  let [one, other] = [over, under];
  while (other !== 0n) [one, other] = [other, one % other];
  return one === 0n ? `0/1` : `${over / one}/${under / one}`;
}

const currencySigns = ['$', '€', '£', '¥', '₽', '¤', 'US$', 'kr', 'zł', 'Fr.', '₴', '₸', 'USD', 'EUR', 'GBP', 'CHF'];

/** As countries group digits. */
const grouping: readonly ((amount: string) => string)[] = [
  (amount) => amount,
  (amount) => amount.replace('.', ','),
  (amount) => grouped(amount, ','),
  ...['.', ' ', '\u00a0', '\u202f', "'", '’'].map((mark) => (amount: string) => grouped(amount, mark, ',')),
  ...["'", '’', ' ', '\u00a0', '\u202f'].map((mark) => (amount: string) => grouped(amount, mark)),
  (amount) => amount.replace(/\B(?=(?:\d{2})*\d{3}(?:\.|$))/g, ','),
];

function* ofCurrency(amounts: readonly string[], currency: string): Generator<Spelling> {
  const marks = [...new Set([currency, ...currencySigns])].filter((mark) => mark !== '');
  for (const each of new Set(amounts.flatMap((amount) => grouping.map((group) => group(amount)))))
    for (const mark of marks)
      for (const made of [
        mark + each,
        each + mark,
        ...[' ', '\u00a0', '\u202f'].flatMap((blank) => [mark + blank + each, each + blank + mark]),
      ])
        yield ['currency', 'with its currency', made];
}
