/**
 * Test cards. The sandbox accepts these numbers only; `--test-card NAME` fills in one of
 * `testCards`. What a security code does is public test data of gateways of this family.
 */
export interface TestCard {
  readonly name: string;
  readonly number: string;
  readonly cvv: string;
  readonly about: string;
}

const visa = '4444333322221111';

const card = (name: string, number: string, cvv: string, about: string): TestCard => ({ name, number, cvv, about });

export const testCards: readonly TestCard[] = [
  card('approved', visa, '123', 'approved'),
  card('approved-mastercard', '5555666644441111', '123', 'approved'),
  card('approved-amex', '378282246310005', '1234', 'approved, with a four-digit security code'),
  card('declined', visa, '777', 'declined, no reason given'),
  card('expired', visa, '101', 'declined, expired card'),
  card('funds', visa, '116', 'declined, insufficient funds'),
  card('not-permitted', visa, '119', 'declined, transaction not permitted to cardholder'),
  card('stolen', visa, '209', 'declined, stolen card'),
  card('unknown', visa, '217', 'status unknown: communication error between gateway and acquirer'),
  card('3ds-form', visa, '321', '3-D Secure 2.x with the method step'),
  card('3ds-none', visa, '111', 'approved without 3-D Secure, although the endpoint supports it'),
  card('error', visa, '396', 'error at the acquirer'),
  card('filtered', visa, '359', 'stopped by a fraud filter'),
  card('slow', visa, '360', 'processing for an hour, then approved'),
  card('3ds-frictionless', visa, '322', '3-D Secure 2.x with the method step, then approved without a challenge'),
  card(
    '3ds-simplified',
    visa,
    '324',
    '3-D Secure, simplified flow: the status reply has a page and an address to send the payer to',
  ),
  card('3ds-pares', visa, '325', '3-D Secure 1.0.2, whatever the amount'),
  card('3ds-method', '4444000022224444', '123', '3-D Secure 2.x with the method step, then a challenge'),
  card('3ds-challenge', '4444000011118888', '123', '3-D Secure 2.x with a challenge, no method step'),
];

/** Every number the sandbox knows: those above and the published numbers of the card schemes. */
export const testNumbers: readonly string[] = [
  ...new Set(testCards.map((card) => card.number)),
  ...['4444444444444448', '4444555566661111', '4538977399606732', '4111111111111111', '4242424242424242'],
  ...['4012888888881881', '4000056655665556', '5555555555555557', '5555555555554444', '5105105105105100'],
  ...['5200828282828210', '2223003122003222', '371449635398431', '6011111111111117', '6011000990139424'],
  ...['3530111333300000', '3566002020360505', '30569309025904', '38520000023237', '6200000000000005'],
];

/**
 * Security code → outcome or 3-D Secure flow. Every other code is declined. Those from 322 to 396 are this sandbox's
 * own.
 */
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
  '322': '3ds-frictionless',
  '323': '3ds-challenge',
  '324': '3ds-simplified',
  '325': '3ds-pares',
  '359': 'filtered',
  '360': 'slow',
  '396': 'error',
};

/** The 3-D Secure steps of a payer before the outcome, and the first of them. */
export const threeDSecureFlows = {
  '3ds-method': { step: 'method', about: '3-D Secure 2.x: method step, then a challenge' },
  '3ds-challenge': { step: 'challenge', about: '3-D Secure 2.x: a challenge, no method step' },
  '3ds-frictionless': { step: 'frictionless', about: '3-D Secure 2.x: method step, then approved without a challenge' },
  '3ds-pares': { step: 'pareq', about: '3-D Secure 1.0.2' },
  '3ds-simplified': {
    step: 'simplified',
    about: 'the status reply carries a page and an address to send the payer to',
  },
} as const;

export type ThreeDSecureFlow = keyof typeof threeDSecureFlows;

/** Card number → 3-D Secure flow, whatever the code. */
export const numberFlows: Readonly<Record<string, string>> = {
  '4444000022224444': '3ds-method',
  '4444000011118888': '3ds-challenge',
};

/** What the issuer says in 3-D Secure 1.0.2 about amounts (as decimal text with two digits): status and ECI. */
export const paresResults: Readonly<Record<string, { readonly status: 'Y' | 'A'; readonly eci: string }>> = {
  '1.00': { status: 'Y', eci: '00' },
  '1.01': { status: 'Y', eci: '02' },
  '1.02': { status: 'Y', eci: '05' },
  '1.03': { status: 'Y', eci: '07' },
  '2.00': { status: 'A', eci: '01' },
  '2.01': { status: 'A', eci: '06' },
};

/** Amounts that start 3-D Secure 1.0.2 by themselves. */
export const paresAmounts: readonly string[] = Object.keys(paresResults);

/** Last two digits of the amount in minor units → outcome, for operations without a security code. */
export const amountEndings: Readonly<Record<string, string>> = {
  '51': 'declined',
  '52': 'error',
  '53': 'filtered',
  '54': 'unknown',
  '55': 'slow',
};
