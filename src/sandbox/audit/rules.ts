/** One thing a client can do wrong. */
interface Rule {
  readonly title: string;
  /** How to put it right. */
  readonly fix: string;
}

const controlRecipe =
  '`paycli sign OPERATION --recipe` prints the recipe of an operation, `paycli sign OPERATION … --explain` every step of it';

/** Everything the report card looks for, in the order it lists it. */
export const rules = {
  'address-wrong': {
    title: 'The address or the method is no operation of the interface',
    fix: 'POST to BASE/api/VERSION/NAME/ENDPOINT, without a query; `paycli sign OPERATION --recipe` shows the path',
  },
  'endpoint-unknown': {
    title: 'The endpoint id at the end of the path is none of the sandbox',
    fix: 'take one that `paycli sandbox status` lists, or add your own with `paycli sandbox start --endpoint-id`',
  },
  'not-http': {
    title: 'Not an HTTP request',
    fix: 'speak plain HTTP/1.1 to the sandbox, without TLS: its address begins with http://, as `paycli sandbox \
status` prints it',
  },
  'host-wrong': {
    title: 'The Host header names another host',
    fix: 'send requests to the address that `paycli sandbox status` prints; a proxy in between must put that host into \
the Host header',
  },
  'sent-by-a-page': {
    title: 'A page in a browser sent the request',
    fix: 'call the gateway from your server, never from a page: whoever sees the page would have the control key',
  },
  'header-repeated': {
    title: 'A header that may be there once was sent more than once',
    fix: 'send Host, Authorization and Content-Type once each; the second one mostly comes from a default of the HTTP \
library',
  },
  'body-too-large': {
    title: 'The body is too large',
    fix: 'keep the body below 2 MiB; no operation has fields for as much',
  },
  'accept-missing': {
    title: 'The Accept header is missing',
    fix: 'send `Accept: application/vnd.pay+json` with every request',
  },
  'accept-inexact': {
    title: 'The Accept header is not exact',
    fix: 'send `Accept: application/vnd.pay+json`, byte for byte: no list, no parameter, no */* of the HTTP library',
  },
  'content-type': {
    title: 'The body is not declared as a form',
    fix: 'send `Content-Type: application/x-www-form-urlencoded` and a form-encoded body, never JSON',
  },
  'scheme-control-for-oauth': {
    title: 'A control where OAuth is due',
    fix: 'sign this operation with OAuth 1.0a in the Authorization header, and leave the field control out',
  },
  'scheme-oauth-for-control': {
    title: 'OAuth where a control is due',
    fix: 'leave the Authorization header out, and put the SHA-1 checksum into the field control where the operation \
has one',
  },
  'control-missing': { title: 'The field control is missing', fix: controlRecipe },
  'control-decimals': {
    title: 'The control was made with a decimal amount',
    fix: 'put the amount into the checksum in minor units, without a point: 1042 for 10.42 USD, 1042 for 1042 JPY; the \
body keeps the decimal form',
  },
  'control-order': {
    title: 'The control was made with its values in another order',
    fix: `keep the order of the recipe, the control key last; ${controlRecipe}`,
  },
  'control-value-missing': { title: 'The control was made without one of its values', fix: controlRecipe },
  'control-value-extra': { title: 'The control was made with a value too many', fix: controlRecipe },
  'control-value-other': {
    title: 'The control was made with another value than the one it takes',
    fix: `sign the values as they are sent, an empty one as nothing at all; ${controlRecipe}`,
  },
  'control-encoded': {
    title: 'The control was made over text in another encoding',
    fix: 'make the checksum over the plain values as UTF-8; only the body is percent-encoded',
  },
  'control-upper-case': {
    title: 'The control, or what it was made of, is in the wrong case',
    fix: 'leave the case of values and key as it is, and write the checksum as 40 lower-case hexadecimal characters \
(A01)',
  },
  'control-base64': {
    title: 'The control is written as Base64',
    fix: 'write the checksum as 40 lower-case hexadecimal characters (A01)',
  },
  'control-hash': {
    title: 'The control was made with another hash',
    fix: 'use plain SHA-1 over the values and the key, no HMAC, no MD5, no SHA-256',
  },
  'control-key-newline': {
    title: 'The control key was read with a line end or blanks around it',
    fix: 'cut the line end off when the key is read from a file or from a variable, and nothing else',
  },
  'control-key-wrong': {
    title: 'The control was made without the key of this merchant',
    fix: 'end the text with the control key of the merchant of this endpoint; `paycli sandbox status` prints it',
  },
  'control-wrong': { title: 'The control does not fit, for a reason nobody recognises', fix: controlRecipe },
  'oauth-missing': {
    title: 'The Authorization header is missing',
    fix: 'sign this operation with OAuth 1.0a; `paycli sign OPERATION … --explain` shows every stage',
  },
  'oauth-header': {
    title: 'The Authorization header is malformed or incomplete',
    fix: 'send oauth_consumer_key, oauth_nonce, oauth_signature, oauth_signature_method, oauth_timestamp and \
oauth_version=1.0, once each, percent-encoded',
  },
  'oauth-method': {
    title: 'The wrong OAuth signature method',
    fix: 'v2 operations take HMAC-SHA1 with the control key, v4 operations RSA-SHA256 with the private key',
  },
  'oauth-consumer': {
    title: 'oauth_consumer_key is not the merchant of the endpoint',
    fix: 'send the merchant login as oauth_consumer_key',
  },
  'oauth-clock': {
    title: 'oauth_timestamp is far from the clock of the sandbox',
    fix: 'send the seconds since 1970 in UTC, from a synchronised clock, made anew for each attempt; milliseconds are \
wrong',
  },
  'oauth-nonce': {
    title: 'A nonce was used twice',
    fix: 'make a new random oauth_nonce for each attempt, repeated ones included',
  },
  'oauth-body-unsigned': {
    title: 'The fields of the body are not signed',
    fix: 'put all fields of the body into the base string together with the oauth_ parameters, encoded first and \
sorted then',
  },
  'oauth-encoding': {
    title: 'The base string was encoded otherwise',
    fix: 'encode names and values by RFC 3986 as UTF-8, all but letters, digits and -._~, then each of the three \
elements once more',
  },
  'oauth-parameters': {
    title: 'The signature is over other parameters than were sent, or over the same in another order',
    fix: 'sign every field of body and query once, empty ones too, with the oauth_ parameters and without the realm, \
sorted by encoded name, then by encoded value',
  },
  'oauth-address': {
    title: 'The signature is over another address or method',
    fix: 'sign POST and exactly the address that is sent: scheme, host, port unless it is the usual one, whole path',
  },
  'oauth-key': {
    title: 'The signature was made with the key in another form',
    fix: 'the HMAC key is the control key without a line end, percent-encoded, and one & after it',
  },
  'oauth-digest': {
    title: 'The signature was made with another hash, or is not plain Base64',
    fix: 'take HMAC-SHA1 or RSA-SHA256 with PKCS#1 v1.5, as the operation says, and write the bytes as Base64 with its \
= at the end',
  },
  'oauth-signature': {
    title: 'The OAuth signature does not fit, for a reason nobody recognises',
    fix: '`paycli sign diff OPERATION …` compares your base string with the right one, byte by byte',
  },
  'field-unknown': {
    title: 'A field the operation does not have',
    fix: 'take the names from `paycli sign OPERATION --recipe`; a gateway may pass over a misspelt field without a word',
  },
  'field-wrong': {
    title: 'A field is missing or malformed',
    fix: '`paycli sign OPERATION --recipe` lists the fields and their forms',
  },
  'card-not-test': {
    title: 'A card number that is no published test number',
    fix: 'never use real cards outside production; `paycli sandbox outcomes` lists the test cards',
  },
  'order-id-repeated': {
    title: 'A client order id was used again',
    fix: 'make a new id for each new payment; for an attempt that got no answer, ask status by that id instead of \
sending it again',
  },
  'acted-before-final': {
    title: 'An order was acted on before its status was final',
    fix: 'ask status, or wait for the callback, until the status is final, then send the next operation',
  },
  'acted-before-status': {
    title: 'An order was acted on without ever learning its status',
    fix: 'ask status or wait for the callback first: an accepted request is no approved payment',
  },
  'polling-fast': {
    title: 'Status was asked for more than once a second',
    fix: 'ask every 3 to 5 seconds, for five minutes at most, then more and more seldom; or rely on callbacks',
  },
  'callback-slow': {
    title: 'A callback was answered slowly',
    fix: 'answer 200 within two seconds; put the work into a queue of your own first',
  },
  'callback-unverified': {
    title: 'A callback with a wrong control was taken',
    fix: 'make the checksum of every callback yourself and refuse what does not fit; anybody can send to a public \
address',
  },
  'callback-unanswered': {
    title: 'A callback was not answered with 200',
    fix: 'answer every callback that was taken with 200, repeated and late ones included',
  },
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof rules;

export function isRuleId(name: string): name is RuleId {
  return Object.hasOwn(rules, name);
}
