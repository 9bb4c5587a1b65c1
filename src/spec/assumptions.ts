/**
 * What the interface description does not show, and what paycli does about it.
 * A profile may set a switch that has more than one value: `assume: { control-encoding: hex-upper }`.
 * `acts` says whose behaviour a switch changes: the client's, the sandbox's, or both.
 */
export interface Assumption {
  readonly id: `A${number}`;
  readonly switch: string;
  readonly default: string;
  /** Other values; a `<form>` in angle brackets stands for any value of that form. */
  readonly others: readonly string[];
  readonly acts: 'client' | 'sandbox' | 'both';
  /** What is assumed, and why this default cannot lose money. */
  readonly about: string;
  /** `public` when documents of gateways of this family say so, `choice` when nothing does. */
  readonly source: 'public' | 'choice';
}

const row = <const Id extends `A${number}`, const Name extends string>(
  id: Id,
  name: Name,
  value: string,
  others: readonly string[],
  acts: Assumption['acts'],
  source: Assumption['source'],
  about: string,
) => ({ id, switch: name, default: value, others, acts, source, about });

export const assumptions = [
  row(
    'A01',
    'control-encoding',
    'hex-lower',
    ['hex-upper', 'base64'],
    'both',
    'public',
    'The checksum is written as 40 lower-case hexadecimal characters.',
  ),
  row('A02', 'control-charset', 'utf-8', [], 'both', 'public', 'The checksum is computed over UTF-8 bytes.'),
  row(
    'A03',
    'body-amount',
    'decimal',
    ['minor'],
    'both',
    'public',
    'The body carries the amount in major units with all digits of its currency (10.5 becomes 10.50).',
  ),
  row(
    'A04',
    'minor-digits',
    'iso4217',
    ['hundredths', '<CUR=n or endpoint/CUR=n, separated by commas>'],
    'both',
    'public',
    'The number of fraction digits of a currency follows ISO 4217, in both the body and the checksum.',
  ),
  row(
    'A05',
    'login-field',
    'send',
    ['omit'],
    'both',
    'public',
    'The merchant login is sent as a field wherever the checksum starts with it.',
  ),
  row(
    'A06',
    'omitted-in-control',
    'empty',
    [],
    'both',
    'choice',
    'A value omitted from the request adds nothing to the checksum.',
  ),
  row(
    'A07',
    'oauth-in-body',
    'no',
    ['hmac'],
    'both',
    'choice',
    'oauth_* parameters are sent in the header only; with `hmac`, the HMAC-SHA1 operations repeat them in the body, counted once in the signature.',
  ),
  row(
    'A08',
    'payout-pay',
    'assumed',
    ['accepted'],
    'client',
    'public',
    'payout-pay is signed with RSA-SHA256, takes client_orderid, orderid and login, and answers AsyncResponse. On a live profile this assumption must be accepted first.',
  ),
  row(
    'A09',
    'card-info-control',
    'omit',
    ['login+cardrefid'],
    'both',
    'choice',
    'get-card-info carries no checksum, as documented; other public documents show one over login and cardrefid.',
  ),
  row(
    'A10',
    'unsigned-forms',
    'none',
    ['control', 'hmac', 'rsa'],
    'both',
    'choice',
    'payment-form and payout-form carry no signature, as documented; other public documents contradict each other.',
  ),
  row(
    'A11',
    'card-ref-source',
    'order',
    ['card-data'],
    'both',
    'public',
    'A card reference is created from an earlier approved payment or account verification, not from card data.',
  ),
  row(
    'A12',
    'reply-format',
    'json',
    ['form'],
    'both',
    'public',
    'Replies are JSON of type application/vnd.pay+json; with `form`, form-encoded replies are understood too, their values trimmed.',
  ),
  row(
    'A13',
    'json-scalars',
    'text-or-number',
    [],
    'client',
    'public',
    'Ids, codes and amounts may arrive as strings or numbers and are kept as strings, digit for digit.',
  ),
  row(
    'A14',
    'reply-types',
    'public',
    [],
    'both',
    'public',
    'The field `type` of a reply names its record: async-response, async-form-response, status-response, create-card-ref-response, get-card-info-response, create-recurring-payment-response, validation-error, error.',
  ),
  row(
    'A15',
    'reply-fields',
    'public',
    [],
    'both',
    'public',
    'Replies name serial-number, merchant-order-id, paynet-order-id, end-point-id, redirect-url, card-ref-id, recurring-payment-id, error-message and error-code.',
  ),
  row(
    'A16',
    'statuses',
    'public',
    [],
    'both',
    'public',
    'approved, declined, error and filtered are final; processing, unknown, chain_declined and every other value are not.',
  ),
  row(
    'A17',
    'return-words',
    'public',
    [],
    'both',
    'public',
    'A return of a preauth appears as `cancel`, a return of a sale or capture as `reversal`; a partial return of a hold releases that part.',
  ),
  row(
    'A18',
    '3ds-step-fields',
    'public',
    [],
    'both',
    'public',
    'A pending 3-D Secure step is named by tds_status, with the fields tds-method-url-frame-*, tds-creq-form-* or tds-pareq-form-*; html and redirect-to mean the simplified flow.',
  ),
  row(
    'A19',
    'upload-fields',
    'public',
    [],
    'both',
    'public',
    'The uploads take cRes, paRes, threeDSServerTransID, threeDSCompInd and the browser fields of EMV 3-D Secure.',
  ),
  row(
    'A20',
    'duplicate-order-id',
    'refuse',
    ['replay', 'pay'],
    'sandbox',
    'choice',
    'A second payment with a used client_orderid is refused; `replay` returns the first reply again, `pay` pays twice.',
  ),
  row(
    'A21',
    'wrong-control',
    'validation-error',
    [],
    'sandbox',
    'public',
    'A wrong checksum is answered with HTTP 400, a validation-error and INVALID_CONTROL_CODE.',
  ),
  row(
    'A22',
    'wrong-oauth',
    '400',
    ['401', '403'],
    'sandbox',
    'choice',
    'A wrong OAuth signature is answered with HTTP 400 and a validation-error; the client understands 401 and 403 as well.',
  ),
  row(
    'A23',
    'oauth-window',
    '300',
    ['<seconds>'],
    'sandbox',
    'choice',
    'A timestamp may differ from the machine clock by up to 300 seconds; a nonce can be used once per consumer key.',
  ),
  row(
    'A24',
    'callback-form',
    'GET',
    ['POST'],
    'sandbox',
    'public',
    'A callback is a GET with its fields in the query and a checksum over status, orderid and client_orderid.',
  ),
  row(
    'A25',
    'callback-retry',
    'public',
    [],
    'sandbox',
    'public',
    'A callback is retried up to 30 times over 14 days until it is answered with 200.',
  ),
  row(
    'A26',
    'browser-return',
    'public',
    [],
    'sandbox',
    'public',
    'The browser returns to redirect_url by POST with status, orderid, merchant_order, client_orderid and control.',
  ),
  row(
    'A27',
    'recurring-period',
    'words',
    [],
    'both',
    'public',
    'The period is daily, weekly or monthly; the interval is a whole number of periods.',
  ),
  row(
    'A28',
    'recurring-dates',
    'YYYY-MM-DD',
    [],
    'both',
    'choice',
    'Start and finish of a schedule are dates such as 2030-01-31.',
  ),
  row(
    'A29',
    'payout-steps',
    'public',
    [],
    'both',
    'public',
    'After payout-check the order stage goes from payout_check_validating to payout_check_validated; only then is payout-pay accepted, once.',
  ),
  row(
    'A30',
    'pan-eligibility',
    'public',
    [],
    'both',
    'public',
    'Only the sending side is specified: a card reference or card fields; it answers AsyncResponse, and the status gives the outcome.',
  ),
  row(
    'A31',
    'transfer-rules',
    'public',
    ['none'],
    'both',
    'public',
    "A transfer goes from a card, a token (with or without cvv2) or the deposit to a card or a token: six cases are allowed, and also the interface's own example, which names all of these at once; `none` allows any combination. It answers AsyncResponse.",
  ),
  row(
    'A32',
    'form-life',
    '30 min, 3 attempts',
    [],
    'sandbox',
    'choice',
    'A hosted form is valid for 30 minutes and three attempts; cancelling it declines the order. 3-D Secure not completed within 30 minutes declines it as well.',
  ),
  row('A33', 'hold-life', '7 days', [], 'sandbox', 'public', 'A hold expires after 7 days on the sandbox clock.'),
  row(
    'A34',
    'captures-per-hold',
    'one',
    ['many'],
    'both',
    'choice',
    'A hold is captured once and the rest of it is released; `many` allows several captures, up to the held amount.',
  ),
  row(
    'A35',
    'void-window',
    'hold',
    ['until-cutoff'],
    'both',
    'choice',
    'Only an approved hold without capture, return or void can be voided; `until-cutoff` also allows voiding a sale or capture until 23:59 UTC of the same day.',
  ),
  row(
    'A36',
    'returns-sum',
    'several',
    ['one'],
    'both',
    'public',
    'Several partial returns are possible, up to the captured amount.',
  ),
  row(
    'A37',
    'unknown-order',
    '400',
    ['404'],
    'sandbox',
    'choice',
    'An unknown order is answered with HTTP 400, a validation-error and "order not found"; the client goes by those words, because no other refusal proves anything about the order.',
  ),
  row(
    'A38',
    'endpoint-group',
    'same-place',
    [],
    'both',
    'public',
    'An endpoint group id can take the place of an endpoint id.',
  ),
  row(
    'A39',
    'payout-destinations',
    'public',
    [],
    'both',
    'public',
    'A payout goes to a card, a card reference, a bank account, a phone or an e-wallet; phone and wallet fields are named by analogy.',
  ),
  row('A40', 'order-id-length', '128', [], 'both', 'public', 'client_orderid has at most 128 characters.'),
  row(
    'A41',
    'follow-up-order-id',
    'original',
    ['own'],
    'both',
    'public',
    'A follow-up carries the client_orderid of the original; with `own`, a new one.',
  ),
  row(
    'A42',
    'status-speaks-of',
    'newest',
    [],
    'both',
    'public',
    'Status describes the newest transaction of the order; by-request-sn selects one request.',
  ),
  row(
    'A43',
    'refusal-statuses',
    '400, 401, 403, 404',
    [],
    'client',
    'choice',
    '401, 403 and 404 with an error record count as a refusal, like 400.',
  ),
  row(
    'A44',
    'card-payment-fields',
    'public',
    [],
    'both',
    'public',
    'The fields of sale, preauth and account verification.',
  ),
  row(
    'A45',
    'follow-up-fields',
    'public',
    [],
    'both',
    'public',
    'The fields of capture, return, void and status; comment is optional.',
  ),
  row('A46', 'rebill-fields', 'public', [], 'both', 'public', 'The fields of make-rebill.'),
  row(
    'A47',
    'form-fields',
    'public',
    [],
    'both',
    'public',
    'The fields of the hosted-form operations, which include no card fields.',
  ),
  row(
    'A48',
    'recurring-fields',
    'public',
    [],
    'both',
    'public',
    'The fields of create-recurring-payment; schedule, amount and payer details are documented, their field names are not.',
  ),
  row(
    'A49',
    'field-lengths',
    'longer',
    [],
    'both',
    'public',
    'Field lengths are as published, the longer one where pages disagree.',
  ),
  row(
    'A50',
    'card-info-fields',
    'public',
    [],
    'both',
    'public',
    'Card information names bin, card-type, masked-card-number, last-four-digits, expire-month, expire-year and card-printed-name.',
  ),
  row(
    'A51',
    'hmac-key-encoding',
    'encoded',
    ['raw'],
    'both',
    'choice',
    'The merchant control key is percent-encoded inside the HMAC key (RFC 5849 3.4.2); no difference for letters, digits and -._~.',
  ),
  row(
    'A52',
    'gateway-id-length',
    '128',
    ['20'],
    'both',
    'public',
    'Ids assigned by the gateway (orderid, card reference, recurring payment id) are letters, digits, - and _, of at most 128 characters; public documents say 20 for some operations, but an order must be reachable whatever its id.',
  ),
  row(
    'A53',
    'order-id-characters',
    'no-emoji',
    ['any'],
    'both',
    'choice',
    'client_orderid has no emoji and no invisible format characters, which systems in between may drop or change: the order could then not be found again; symbols such as © and ™ are accepted.',
  ),
] as const satisfies readonly Assumption[];

export type AssumptionId = (typeof assumptions)[number]['id'];
export type SwitchName = (typeof assumptions)[number]['switch'];

/** Where a fact comes from: the interface states it, or an assumption of the register fills the gap. */
export type Basis = 'stated' | AssumptionId;

/** The value of every switch in force. */
export type Assume = Readonly<Record<SwitchName, string>>;

export const assumeDefaults: Assume = Object.freeze(
  Object.fromEntries(assumptions.map((a) => [a.switch, a.default])),
) as Assume;

/** The assumption behind a switch or an id such as A07; undefined when there is none. */
export function assumptionNamed(name: string): Assumption | undefined {
  return assumptions.find((a) => a.switch === name || a.id === name.toUpperCase());
}

const freeForms: Readonly<Record<string, RegExp>> = {
  'minor-digits': /^(?:\d{1,19}\/)?[A-Z]{3}=[0-4](?:,(?:\d{1,19}\/)?[A-Z]{3}=[0-4])*$/,
  'oauth-window': /^[1-9]\d{0,5}$/,
};

/** True when a switch may take this value. */
export function mayBe(assumption: Assumption, value: string): boolean {
  return (
    value === assumption.default ||
    assumption.others.includes(value) ||
    (freeForms[assumption.switch]?.test(value) ?? false)
  );
}
