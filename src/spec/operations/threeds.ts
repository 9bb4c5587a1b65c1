import * as f from '../fields.js';
import { control, defineOperation, stated } from '../operation.js';

const order = { login: f.login, clientOrderId: f.clientOrderIdDashed, orderId: f.orderId };
const recipe = control('login', 'clientOrderId', 'orderId');

export const uploadCres = defineOperation({
  id: 'TDS_UPLOAD_CRES_RESULT',
  command: 'upload-3ds cres',
  path: '/api/3ds/v1/upload-cres-result',
  brief: 'Submit the challenge response of a 3-D Secure 2.x flow',
  examples: ['upload-3ds cres $ORDER --c-res $CRES'],
  fields: { ...order, cRes: f.cRes },
  rules: [],
  protection: recipe,
  records: { request: 'TdsCResResultRequest', reply: 'AsyncResponse' },
  effect: 'write',
  opens: false,
  namedByStatus: undefined,
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

export const uploadMethod = defineOperation({
  id: 'TDS_UPLOAD_METHOD_URL_RESULT',
  command: 'upload-3ds method',
  path: '/api/3ds/v1/upload-method-url-result',
  brief: 'Submit the result of the 3-D Secure 2.x method step',
  examples: ['upload-3ds method $ORDER --tds-server-trans-id $TDS --tds-comp-ind Y'],
  fields: {
    ...order,
    tdsServerTransId: f.tdsServerTransId,
    tdsCompInd: f.tdsCompInd,
    browserAcceptHeader: f.optional(f.browserAcceptHeader),
    browserIp: f.optional(f.browserIp),
    browserJavaEnabled: f.optional(f.browserJavaEnabled),
    browserJavascriptEnabled: f.optional(f.browserJavascriptEnabled),
    browserLanguage: f.optional(f.browserLanguage),
    browserColorDepth: f.optional(f.browserColorDepth),
    browserScreenHeight: f.optional(f.browserScreenHeight),
    browserScreenWidth: f.optional(f.browserScreenWidth),
    browserTimeZone: f.optional(f.browserTimeZone),
    browserUserAgent: f.optional(f.browserUserAgent),
  },
  rules: [],
  protection: recipe,
  records: { request: 'TdsMethodUrlResultRequest', reply: 'AsyncResponse' },
  effect: 'write',
  opens: false,
  namedByStatus: undefined,
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

export const uploadPares = defineOperation({
  id: 'TDS_UPLOAD_PARES_RESULT',
  command: 'upload-3ds pares',
  path: '/api/3ds/v1/upload-pares-result',
  brief: 'Submit the payer authentication response of a 3-D Secure 1.0.2 flow',
  examples: ['upload-3ds pares $ORDER --pa-res $PARES'],
  fields: { ...order, paRes: f.paRes },
  rules: [],
  protection: recipe,
  records: { request: 'TdsPaResResultRequest', reply: 'AsyncResponse' },
  effect: 'write',
  opens: false,
  namedByStatus: undefined,
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});
