/** One thing a client can do wrong. */
interface Rule {
  readonly title: string;
  /** How to fix it. */
  readonly fix: string;
}

const controlRecipe = '`paycli sign OPERATION …` prints every step of the checksum';

/** Every rule of the audit, in the order it lists them. */
export const rules = {
  'address-wrong': {
    title: 'The path or the method does not match any operation',
    fix: 'POST to BASE/api/VERSION/NAME/ENDPOINT, without a query; `paycli export openapi` lists the paths',
  },
  'endpoint-unknown': {
    title: 'The endpoint id at the end of the path does not exist in the sandbox',
    fix: 'use one from `paycli sandbox status`, or add your own with `paycli sandbox merchant LOGIN`',
  },
  'host-wrong': {
    title: 'The Host header names another host',
    fix: 'send requests to the address that `paycli sandbox status` prints; a proxy in between must set the Host header to it',
  },
  'sent-by-a-page': {
    title: 'The request came from a page in a browser',
    fix: 'call the gateway from your server, never from a page: anyone who sees the page could read the control key',
  },
  'header-repeated': {
    title: 'A header that is allowed only once was sent more than once',
    fix: 'send Host, Authorization and Content-Type once each; a second one is usually set by the HTTP library by default',
  },
  'body-too-large': {
    title: 'The body is too large',
    fix: 'keep the body below 2 MiB; no operation needs more',
  },
  'accept-missing': {
    title: 'The Accept header is missing',
    fix: 'send `Accept: application/vnd.pay+json` with every request',
  },
  'accept-inexact': {
    title: 'The Accept header is wrong',
    fix: 'send `Accept: application/vnd.pay+json`, byte for byte: not a list, no parameters, not the */* that HTTP libraries send',
  },
  'content-type': {
    title: 'The body is not declared as a form',
    fix: 'send `Content-Type: application/x-www-form-urlencoded` and a form-encoded body, never JSON',
  },
  'body-separator': {
    title: 'The fields of the body are not separated by a single &',
    fix: 'join name=value with &, and write a & inside a value as %26',
  },
  'body-encoding': {
    title: 'The body is not encoded as a form in UTF-8',
    fix: 'percent-encode the UTF-8 bytes of each name and value; a plus sign is %2B, a percent sign %25',
  },
  'amount-form': {
    title: 'The amount is not written as a decimal number of its currency',
    fix: 'write the amount with a point and the decimals of its currency, without separators or signs',
  },
  'scheme-control-for-oauth': {
    title: 'A control was sent where OAuth is required',
    fix: 'sign this operation with OAuth 1.0a in the Authorization header, and omit the field control',
  },
  'scheme-oauth-for-control': {
    title: 'OAuth was sent where a control is required',
    fix: 'omit the Authorization header, and put the SHA-1 checksum in the field control where the operation has one',
  },
  'control-missing': { title: 'The field control is missing', fix: controlRecipe },
  'control-wrong': { title: 'The checksum (control) does not match', fix: controlRecipe },
  'oauth-missing': {
    title: 'The Authorization header is missing',
    fix: 'sign this operation with OAuth 1.0a; `paycli sign OPERATION …` shows every stage',
  },
  'oauth-header': {
    title: 'The Authorization header is malformed or incomplete',
    fix: 'send oauth_consumer_key, oauth_nonce, oauth_signature, oauth_signature_method, oauth_timestamp and oauth_version=1.0, once each, percent-encoded',
  },
  'oauth-method': {
    title: 'Wrong OAuth signature method',
    fix: 'of the OAuth operations, those under v2 use HMAC-SHA1 with the control key, those under v4 RSA-SHA256 with the private key',
  },
  'oauth-consumer': {
    title: 'oauth_consumer_key is not the merchant login of the endpoint',
    fix: 'send the merchant login as oauth_consumer_key',
  },
  'oauth-clock': {
    title: "oauth_timestamp is too far from this machine's clock",
    fix: 'send the seconds since 1970 in UTC, from a synchronized clock, new for each attempt; milliseconds are wrong',
  },
  'oauth-nonce': {
    title: 'A nonce was used twice',
    fix: 'generate a new random oauth_nonce for each attempt, including retries',
  },
  'oauth-signature': {
    title: 'The OAuth signature does not match',
    fix: '`paycli sign OPERATION … --base-string FILE` compares your base string with the correct one',
  },
  'field-unknown': {
    title: 'The operation has no such field',
    fix: 'use the names that `paycli export openapi` lists; a gateway may silently ignore a misspelt field',
  },
  'field-wrong': {
    title: 'A field is missing or malformed',
    fix: '`paycli export openapi` lists the fields and their forms',
  },
  'card-not-test': {
    title: 'A card number that is not a published test number',
    fix: 'never use real cards outside production; `paycli sandbox outcomes` lists the test cards',
  },
  'order-id-repeated': {
    title: 'A client order id was used again',
    fix: 'use a new id for each payment; if an attempt got no reply, query the status by that id instead of sending it again',
  },
  'acted-before-final': {
    title: "A follow-up was sent before the order's status was final",
    fix: 'poll the status, or wait for the callback, until the status is final, then send the next operation',
  },
  'acted-before-status': {
    title: "A follow-up was sent without checking the order's status",
    fix: 'query the status or wait for the callback first: an accepted request is not an approved payment',
  },
  'polling-fast': {
    title: 'The status was polled more than once a second',
    fix: 'poll every 3 to 5 seconds for at most five minutes, then back off; or rely on callbacks',
  },
  'callback-slow': {
    title: 'A callback was answered slowly',
    fix: 'answer 200 within two seconds; queue the work and do it afterwards',
  },
  'callback-unverified': {
    title: 'A callback with a wrong checksum was accepted',
    fix: 'compute the checksum of every callback yourself and reject a mismatch; anyone can send to a public address',
  },
  'callback-unanswered': {
    title: 'A callback was not answered with 200',
    fix: 'answer 200 to every callback you accept, including repeated and late ones',
  },
  accepted: {
    title: 'Accepted here, because the sandbox is compatible; the description wants it otherwise',
    fix: 'change the client to the form that the detail names; `paycli export openapi` lists the fields and their forms',
  },
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof rules;
