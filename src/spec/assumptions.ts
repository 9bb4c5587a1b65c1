/**
 * What the interface description does not show, and what paycli does about it. 53 assumptions are numbered; those that
 * can only be what they are stand in the topic `assumptions`, and here stand the switches: a profile may set another
 * value, as in `assume: { control-encoding: hex-upper }`. `acts` says whose behaviour a switch changes: the client's,
 * the sandbox's, or both.
 */
export interface Assumption {
  readonly id: AssumptionId;
  readonly switch: string;
  readonly default: string;
  /** Other values; a `<form>` in angle brackets stands for any value of that form. */
  readonly others: readonly string[];
  readonly acts: 'client' | 'sandbox' | 'both';
  /** `public` when documents of gateways of this family say so, `choice` when nothing does. */
  readonly source: 'public' | 'choice';
  /** What is assumed, and why this default cannot lose money. */
  readonly about: string;
}

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
/** A01 to A53. */
export type AssumptionId =
  | `A0${Exclude<Digit, '0'>}`
  | `A${'1' | '2' | '3' | '4'}${Digit}`
  | `A5${'0' | '1' | '2' | '3'}`;

const row = <const Name extends string>(
  id: AssumptionId,
  name: Name,
  value: string,
  others: readonly string[],
  more: Pick<Assumption, 'about'> & Partial<Pick<Assumption, 'acts' | 'source'>>,
) => ({ id, switch: name, default: value, others, acts: 'both', source: 'choice', ...more }) as const;

export const assumptions = [
  row('A01', 'control-encoding', 'hex-lower', ['hex-upper', 'base64'], {
    source: 'public',
    about: 'The checksum is written as 40 lower-case hexadecimal characters.',
  }),
  row('A03', 'body-amount', 'decimal', ['minor'], {
    source: 'public',
    about: 'The body carries the amount in major units with all digits of its currency (10.5 becomes 10.50).',
  }),
  row('A04', 'minor-digits', 'iso4217', ['hundredths', '<CUR=n or endpoint/CUR=n, separated by commas>'], {
    source: 'public',
    about: 'The number of fraction digits of a currency follows ISO 4217, in both the body and the checksum.',
  }),
  row('A05', 'login-field', 'send', ['omit'], {
    source: 'public',
    about: 'The merchant login is sent as a field wherever the checksum starts with it.',
  }),
  row('A07', 'oauth-in-body', 'no', ['hmac'], {
    about:
      'oauth_* parameters are sent in the header only; with `hmac`, the HMAC-SHA1 operations repeat them in the body, counted once in the signature.',
  }),
  row('A08', 'payout-pay', 'assumed', ['accepted'], {
    acts: 'client',
    source: 'public',
    about:
      'payout-pay is signed with RSA-SHA256, takes client_orderid, orderid and login, and answers AsyncResponse. On a live profile this assumption must be accepted first.',
  }),
  row('A09', 'card-info-control', 'omit', ['login+cardrefid'], {
    about:
      'get-card-info carries no checksum, as documented; other public documents show one over login and cardrefid.',
  }),
  row('A10', 'unsigned-forms', 'none', ['control', 'hmac', 'rsa'], {
    about:
      'payment-form and payout-form carry no signature, as documented; other public documents contradict each other.',
  }),
  row('A11', 'card-ref-source', 'order', ['card-data'], {
    source: 'public',
    about: 'A card reference is created from an earlier approved payment or account verification, not from card data.',
  }),
  row('A12', 'reply-format', 'json', ['form'], {
    source: 'public',
    about:
      'Replies are JSON of type application/vnd.pay+json; with `form`, form-encoded replies are understood too, their values trimmed.',
  }),
  row('A20', 'duplicate-order-id', 'refuse', ['replay', 'pay'], {
    acts: 'sandbox',
    about:
      'A second payment with a used client_orderid is refused; `replay` returns the first reply again, `pay` pays twice.',
  }),
  row('A22', 'wrong-oauth', '400', ['401', '403'], {
    acts: 'sandbox',
    about:
      'A wrong OAuth signature is answered with HTTP 400 and a validation-error; the client understands 401 and 403 as well.',
  }),
  row('A23', 'oauth-window', '300', ['<seconds>'], {
    acts: 'sandbox',
    about:
      'A timestamp may differ from the machine clock by up to 300 seconds; a nonce can be used once per consumer key.',
  }),
  row('A24', 'callback-form', 'GET', ['POST'], {
    acts: 'sandbox',
    source: 'public',
    about: 'A callback is a GET with its fields in the query and a checksum over status, orderid and client_orderid.',
  }),
  row('A31', 'transfer-rules', 'public', ['none'], {
    source: 'public',
    about:
      "A transfer goes from a card, a token (with or without cvv2) or the deposit to a card or a token: six cases are allowed, and also the interface's own example, which names all of these at once; `none` allows any combination. It answers AsyncResponse.",
  }),
  row('A34', 'captures-per-hold', 'one', ['many'], {
    about:
      'A hold is captured once and the rest of it is released; `many` allows several captures, up to the held amount.',
  }),
  row('A35', 'void-window', 'hold', ['until-cutoff'], {
    about:
      'Only an approved hold without capture, return or void can be voided; `until-cutoff` also allows voiding a sale or capture until 23:59 UTC of the same day.',
  }),
  row('A36', 'returns-sum', 'several', ['one'], {
    source: 'public',
    about: 'Several partial returns are possible, up to the captured amount.',
  }),
  row('A37', 'unknown-order', '400', ['404'], {
    acts: 'sandbox',
    about:
      'An unknown order is answered with HTTP 400, a validation-error and "order not found"; the client goes by those words, because no other refusal proves anything about the order.',
  }),
  row('A41', 'follow-up-order-id', 'original', ['own'], {
    source: 'public',
    about: 'A follow-up carries the client_orderid of the original; with `own`, a new one.',
  }),
  row('A51', 'hmac-key-encoding', 'encoded', ['raw'], {
    about:
      'The merchant control key is percent-encoded inside the HMAC key (RFC 5849 3.4.2); no difference for letters, digits and -._~.',
  }),
  row('A52', 'gateway-id-length', '128', ['20'], {
    source: 'public',
    about:
      'Ids assigned by the gateway (orderid, card reference, recurring payment id) are letters, digits, - and _, of at most 128 characters; public documents say 20 for some operations, but an order must be reachable whatever its id.',
  }),
  row('A53', 'order-id-characters', 'no-emoji', ['any'], {
    about:
      'client_orderid has no emoji and no invisible format characters, which systems in between may drop or change: the order could then not be found again; symbols such as © and ™ are accepted.',
  }),
] as const satisfies readonly Assumption[];

export type SwitchName = (typeof assumptions)[number]['switch'];

/** Where a fact comes from: the interface states it, or an assumption of the register fills the gap. */
export type Basis = 'stated' | AssumptionId;

/** The value of every switch in force. */
export type Assume = Readonly<Record<SwitchName, string>>;

export const assumeDefaults: Assume = Object.freeze(
  Object.fromEntries(assumptions.map((a) => [a.switch, a.default])),
) as Assume;

/** The switch with this name or id such as A07; undefined when there is none. */
export function assumptionNamed(name: string): Assumption | undefined {
  return assumptions.find((a) => a.switch === name || a.id === name.toUpperCase());
}

/** True for the id of an assumption that can only be what it is. */
export function isFixedAssumption(name: string): boolean {
  const id = name.toUpperCase();
  return /^A(?:0[1-9]|[1-4]\d|5[0-3])$/.test(id) && assumptionNamed(id) === undefined;
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
