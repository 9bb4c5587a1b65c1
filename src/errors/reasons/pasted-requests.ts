import { defineReasons } from './reason.js';

/** A pasted request that cannot be read. */
export const pastedReasons = defineReasons(() => ({
  curlMultipart: {
    code: 'TEXT_INVALID',
    why: '-F sends multipart/form-data, and the API takes {form}; no signature covers any other body. Use --data',
  },
  curlUser: {
    code: 'TEXT_INVALID',
    why: '-u sends a name and a password in the Authorization header, where the signature belongs; leave it out',
  },
  noCurlCommand: { code: 'TEXT_INVALID', why: 'it does not start with the word curl' },
  curlTwoAddresses: {
    code: 'TEXT_INVALID',
    why: 'it names two addresses; paste the request for one of them',
  },
  curlFlagWithoutValue: { code: 'TEXT_INVALID', why: '{flag} has no value' },
  curlHeaderWithoutColon: {
    code: 'TEXT_INVALID',
    why: 'a header has no colon; write it as "Name: value"',
  },
  curlWithoutAddress: { code: 'TEXT_INVALID', why: 'it names no address' },
  curlReadsFile: {
    code: 'TEXT_INVALID',
    why: '{flag} reads a file that is not here; paste its contents instead, with --data-raw for the body',
  },
  singleQuoteOpen: { code: 'TEXT_INVALID', why: 'a single quote is not closed' },
  doubleQuoteOpen: { code: 'TEXT_INVALID', why: 'a double quote is not closed' },
  ansiQuoteOpen: { code: 'TEXT_INVALID', why: "a quote opened by $' is not closed" },
  escapeNoCharacter: { code: 'TEXT_INVALID', why: '{escape} is not a valid escape sequence' },
  ansiQuoteNotUtf8: { code: 'TEXT_INVALID', why: "the bytes between $' and ' are not UTF-8" },
  shellVariable: {
    code: 'TEXT_INVALID',
    why: 'it contains {variable}, which a shell replaces; paste the command with the value that was sent',
  },
  shellCommand: {
    code: 'TEXT_INVALID',
    why: 'it contains a command that a shell would run; paste the command with the text that was sent',
  },
  httpWithoutRequestLine: {
    code: 'TEXT_INVALID',
    why: 'its first line is not a request line such as POST /api/v2/sale/4001 HTTP/1.1',
  },
  httpWithoutHost: {
    code: 'TEXT_INVALID',
    why: 'it has no Host header, so the address is not known',
  },
  httpLineNoHeader: {
    code: 'TEXT_INVALID',
    why: 'line {line} is not a header; put an empty line before the body',
  },
  jsonMethodNoText: { code: 'TEXT_INVALID', why: 'write method as a string' },
  jsonUrlNoText: { code: 'TEXT_INVALID', why: 'url is missing, or not a string' },
  jsonBodyAndFields: {
    code: 'TEXT_INVALID',
    why: 'it has both body and fields; give one of them',
  },
  jsonBodyNoText: {
    code: 'TEXT_INVALID',
    why: 'write body as the text that is sent, form-encoded; fields may be an object',
  },
  jsonNoObject: {
    code: 'TEXT_INVALID',
    why: 'write it as an object with url, headers and fields',
  },
  jsonItemNoTexts: {
    code: 'TEXT_INVALID',
    why: '{key}, item {item}: write names and values as strings, with numbers in quotes',
  },
  http2WithoutPseudoHeader: { code: 'TEXT_INVALID', why: 'it has no {name}' },
  harWithoutEntries: { code: 'TEXT_INVALID', why: 'it has no log.entries with a request in it' },
  harEntryNoRequest: {
    code: 'TEXT_INVALID',
    why: 'it is not a request with method, url and headers as { "name", "value" }',
  },
  logIdNotWhole: { code: 'USAGE', why: '--log: use the id of an entry of `paycli sandbox log --json`' },
  logEntryNoRequest: { code: 'USAGE', why: 'entry {id} of the sandbox log is not a request to an operation' },
  logHoldsNoCardData: {
    code: 'USAGE',
    why: `entry {id} cannot be checked again: its signature covers card data, which the log does not keep. Its verdict was: {verdict}. \`paycli sandbox audit\` names the mistake`,
  },
  requestMasked: {
    code: 'TEXT_INVALID',
    why: '{names}: masked, and the signature covers what the mask hides; use the request as it was sent',
  },
  requestSignatureMasked: {
    code: 'TEXT_INVALID',
    why: '{name} is masked, so there is nothing to check; use the request as it was sent',
  },
  bodyWithoutAddress: {
    code: 'TEXT_INVALID',
    why: 'a body alone does not say where it goes; name the address with --url',
  },
  requestEntries: {
    code: 'TEXT_INVALID',
    why: 'it contains {count} requests, and {which}; choose one with --entry',
  },
  requestEntryUnknown: { code: 'TEXT_INVALID', why: 'it contains {count} requests; --entry counts from 1' },
  requestEmpty: { code: 'TEXT_INVALID', why: 'it is empty' },
  requestFormatUnknown: {
    code: 'TEXT_INVALID',
    why: 'it was not recognized as a curl command, an HTTP request, a HAR file, JSON or a form body; choose one with --format',
  },
  bodyNotSigned: {
    code: 'TEXT_INVALID',
    field: 'request',
    why: '{what}, but the API takes fields as {form}: no other body is accepted or signed',
  },
}));
