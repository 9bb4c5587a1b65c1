/** The messages of 3-D Secure that pass through a merchant's hands. */
export type MessageKind = 'CReq' | 'CRes' | 'PaReq' | 'PaRes' | 'method data' | 'method notification';

interface Part {
  readonly name: string;
  readonly pattern: RegExp;
  /** Fits after "must be". */
  readonly form: string;
  readonly isOptional?: boolean;
}

export interface Shape {
  /** base64url of JSON for 2.x, Base64 of deflated XML for 1.0.2. */
  readonly carrier: 'base64url' | 'deflated';
  readonly parts: readonly Part[];
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const id = (name: string): Part => ({ name, pattern: uuid, form: 'a UUID of 36 characters' });
const version: Part = { name: 'messageVersion', pattern: /^2\.[123]\.\d$/, form: '2.1.0, 2.2.0 or 2.3.1' };
const xml: readonly Part[] = [
  { name: 'version', pattern: /^1\.0\.[12]$/, form: '1.0.2', isOptional: true },
  { name: 'xid', pattern: /^[A-Za-z0-9+/]{27}=$/, form: '20 bytes in Base64', isOptional: true },
  { name: 'purchAmount', pattern: /^\d{1,12}$/, form: 'minor units in digits', isOptional: true },
  { name: 'exponent', pattern: /^[0-4]$/, form: 'the fraction digits of the currency', isOptional: true },
];

/** What each message is made of, as far as a mistake in it is worth a word. */
export const shapes: Readonly<Record<MessageKind, Shape>> = {
  CReq: {
    carrier: 'base64url',
    parts: [
      id('threeDSServerTransID'),
      id('acsTransID'),
      version,
      { name: 'challengeWindowSize', pattern: /^0[1-5]$/, form: '01 to 05', isOptional: true },
    ],
  },
  CRes: {
    carrier: 'base64url',
    parts: [
      id('threeDSServerTransID'),
      id('acsTransID'),
      version,
      { name: 'challengeCompletionInd', pattern: /^[YN]$/, form: 'Y or N' },
      { name: 'transStatus', pattern: /^[YN]$/, form: 'Y or N' },
      { name: 'challengeCancel', pattern: /^0[1-8]$/, form: '01 to 08', isOptional: true },
    ],
  },
  'method data': {
    carrier: 'base64url',
    parts: [
      id('threeDSServerTransID'),
      { name: 'threeDSMethodNotificationURL', pattern: /^https?:\/\/[^\s/]/, form: 'an http or https address' },
    ],
  },
  'method notification': { carrier: 'base64url', parts: [id('threeDSServerTransID')] },
  PaReq: { carrier: 'deflated', parts: xml },
  PaRes: {
    carrier: 'deflated',
    parts: [
      ...xml,
      { name: 'status', pattern: /^[YNUA]$/, form: 'Y, N, U or A' },
      { name: 'eci', pattern: /^\d{2}$/, form: 'two digits', isOptional: true },
      { name: 'cavv', pattern: /^[A-Za-z0-9+/]{27}=$/, form: '20 bytes in Base64', isOptional: true },
    ],
  },
};
