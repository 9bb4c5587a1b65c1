import { defineReasons } from './reason.js';

export const wireReasons = defineReasons(() => ({
  halfOfSurrogatePair: {
    code: 'TEXT_INVALID',
    why: 'it contains an unpaired surrogate, which UTF-8 cannot encode',
  },
  formNotPercentEncoded: {
    code: 'TEXT_INVALID',
    field: 'form body',
    why: 'a % is not followed by two hexadecimal digits',
  },
  formNotUtf8: { code: 'TEXT_INVALID', field: 'form body', why: 'its bytes are not UTF-8' },
  minorUnitsNotOfForm: {
    code: 'AMOUNT_INVALID',
    why: 'must be a whole number of minor units above zero',
    form: '1042',
  },
  endpointIdNotOfForm: {
    code: 'FIELD_INVALID',
    problems: 'endpoint id must be a whole number above zero that fits 64 bits, without leading zeros',
  },
  gatewayAddressNotHttp: {
    code: 'URL_INVALID',
    field: 'of the gateway',
    why: 'it is not an http or https address, or it contains a user name, spaces or backslashes',
    form: 'https://gateway.example/prefix',
  },
  gatewayAddressHoldsQuery: {
    code: 'URL_INVALID',
    field: 'of the gateway',
    why: 'a base address has no query and no fragment',
    form: 'https://gateway.example/prefix',
  },
  gatewayAddressNotEncrypted: {
    code: 'URL_INVALID',
    field: 'of the gateway',
    why: 'plain http is for this machine only',
    form: 'https://gateway.example/prefix',
  },
}));
