import { fields } from '../fields.js';
import { control, defineOperation } from '../operation.js';

const uploadRow = {
  effect: 'write',
  follows: ['SALE', 'PREAUTH', 'ACCOUNT_VERIFICATION', 'TRANSFER_V4'],
  fieldBasis: 'A19',
  except: { clientOrderId: { wire: 'client-order-id' } },
  protection: control('login', 'clientOrderId', 'orderId'),
} as const;

export const uploadCres = defineOperation({
  id: 'TDS_UPLOAD_CRES_RESULT',
  command: 'upload-3ds cres',
  path: '/api/3ds/v1/upload-cres-result',
  brief: 'Submit the challenge response of a 3-D Secure 2.x flow',
  examples: ['upload-3ds cres $ORDER --c-res $CRES'],
  ...uploadRow,
  answers: 'challenge',
  fields: fields('login', 'clientOrderId', 'orderId', 'cRes'),
  records: { request: 'TdsCResResultRequest', reply: 'AsyncResponse' },
});

export const uploadMethod = defineOperation({
  id: 'TDS_UPLOAD_METHOD_URL_RESULT',
  command: 'upload-3ds method',
  path: '/api/3ds/v1/upload-method-url-result',
  brief: 'Submit the result of the 3-D Secure 2.x method step',
  examples: ['upload-3ds method $ORDER --tds-server-trans-id $TDS --tds-comp-ind Y'],
  ...uploadRow,
  answers: 'method',
  fields: {
    ...fields('login', 'clientOrderId', 'orderId', 'tdsServerTransId', 'tdsCompInd'),
    ...fields('browserAcceptHeader?', 'browserIp?', 'browserJavaEnabled?', 'browserJavascriptEnabled?'),
    ...fields('browserLanguage?', 'browserColorDepth?', 'browserScreenHeight?', 'browserScreenWidth?'),
    ...fields('browserTimeZone?', 'browserUserAgent?'),
  },
  records: { request: 'TdsMethodUrlResultRequest', reply: 'AsyncResponse' },
});

export const uploadPares = defineOperation({
  id: 'TDS_UPLOAD_PARES_RESULT',
  command: 'upload-3ds pares',
  path: '/api/3ds/v1/upload-pares-result',
  brief: 'Submit the payer authentication response of a 3-D Secure 1.0.2 flow',
  examples: ['upload-3ds pares $ORDER --pa-res $PARES'],
  ...uploadRow,
  answers: 'pareq',
  fields: fields('login', 'clientOrderId', 'orderId', 'paRes'),
  records: { request: 'TdsPaResResultRequest', reply: 'AsyncResponse' },
});
