/**
 * Cards that never belong to anybody. The sandbox takes these numbers only; `--test-card NAME` fills in one of `testCards`.
 * What a security code does is public test data of gateways of this family.
 */
export interface TestCard {
  readonly name: string;
  readonly number: string;
  readonly cvv: string;
  readonly about: string;
}

const visa = '4444333322221111';

export const testCards: readonly TestCard[] = [
  { name: 'approved', number: visa, cvv: '123', about: 'approved' },
  { name: 'approved-mastercard', number: '5555666644441111', cvv: '123', about: 'approved' },
  { name: 'approved-amex', number: '378282246310005', cvv: '1234', about: 'approved, with a code of four digits' },
  { name: 'declined', number: visa, cvv: '777', about: 'declined without a particular reason' },
  { name: 'expired', number: visa, cvv: '101', about: 'declined, expired card' },
  { name: 'funds', number: visa, cvv: '116', about: 'declined, insufficient funds' },
  { name: 'not-permitted', number: visa, cvv: '119', about: 'declined, not permitted to the cardholder' },
  { name: 'stolen', number: visa, cvv: '209', about: 'declined, stolen card' },
  { name: 'unknown', number: visa, cvv: '217', about: 'status unknown: trouble between gateway and acquirer' },
  { name: '3ds-form', number: visa, cvv: '321', about: '3-D Secure 2.x with the method step' },
  { name: '3ds-none', number: visa, cvv: '111', about: 'approved by a 3-D Secure endpoint without 3-D Secure' },
  { name: '3ds-method', number: '4444000022224444', cvv: '123', about: '3-D Secure 2.x with the method step, then a challenge' },
  { name: '3ds-challenge', number: '4444000011118888', cvv: '123', about: '3-D Secure 2.x with a challenge, no method step' },
];

/** Every number the sandbox knows: those above and the published numbers of the card schemes. */
export const testNumbers: readonly string[] = [
  ...new Set(testCards.map((card) => card.number)),
  '4444444444444448',
  '4444555566661111',
  '4538977399606732',
  '4111111111111111',
  '4242424242424242',
  '4012888888881881',
  '4000056655665556',
  '5555555555555557',
  '5555555555554444',
  '5105105105105100',
  '5200828282828210',
  '2223003122003222',
  '371449635398431',
  '6011111111111117',
  '6011000990139424',
  '3530111333300000',
  '3566002020360505',
  '30569309025904',
  '38520000023237',
  '6200000000000005',
];

/** Security code → outcome. Every other code is declined. */
export const cvvOutcomes: Readonly<Record<string, string>> = {
  '123': 'approved',
  '1234': 'approved',
  '111': 'approved',
  '321': '3ds-method',
  '101': 'expired',
  '116': 'funds',
  '119': 'not-permitted',
  '209': 'stolen',
  '217': 'unknown',
};

/** Card number → 3-D Secure flow, whatever the code. */
export const numberFlows: Readonly<Record<string, string>> = {
  '4444000022224444': '3ds-method',
  '4444000011118888': '3ds-challenge',
};

/** Amounts (as decimal text with two digits) that start 3-D Secure 1.0.2. */
export const paresAmounts: readonly string[] = ['1.00', '1.01', '1.02', '1.03', '2.00', '2.01'];

/** Last two digits of the amount in minor units → outcome, for operations without a security code. */
export const amountEndings: Readonly<Record<string, string>> = {
  '51': 'declined',
  '52': 'error',
  '53': 'filtered',
  '54': 'unknown',
  '55': 'slow',
};
