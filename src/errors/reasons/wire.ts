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
    why: 'use a whole number of minor units above zero',
    form: '1042',
  },
  endpointIdNotOfForm: {
    code: 'FIELD_INVALID',
    problems: 'use a whole number above zero that fits 64 bits, without leading zeros, as the endpoint id',
  },
  gatewayAddressNotHttp: {
    code: 'URL_INVALID',
    field: 'of the gateway',
    why: 'use an http or https address without a user name, spaces or backslashes',
    form: 'https://gateway.example/prefix',
  },
  gatewayAddressHoldsQuery: {
    code: 'URL_INVALID',
    field: 'of the gateway',
    why: 'leave out the query and the fragment',
    form: 'https://gateway.example/prefix',
  },
  gatewayAddressNotEncrypted: {
    code: 'URL_INVALID',
    field: 'of the gateway',
    why: 'use https; plain http is for this machine only',
    form: 'https://gateway.example/prefix',
  },
}));
