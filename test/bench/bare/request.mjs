import { readFileSync } from 'node:fs';
import { saleBody, statusBody } from '../requests.mjs';

export const headers = { accept: 'application/vnd.pay+json', 'content-type': 'application/x-www-form-urlencoded' };

/** From `sale ID` or `status ID` and the variables paycli reads. */
export function requestOf([, , operation, id]) {
  const {
    PAYCLI_BASE_URL: base,
    PAYCLI_LOGIN: login,
    PAYCLI_ENDPOINT_ID: endpointId,
    PAYCLI_CONTROL_KEY_FILE: file,
  } = process.env;
  const merchant = { login, endpointId, key: readFileSync(file, 'utf8') };
  const [origin, prefix] = [base.slice(0, base.indexOf('/', 8)), base.slice(base.indexOf('/', 8))];
  const body = operation === 'sale' ? saleBody(merchant, id) : statusBody(merchant, id);
  return { origin, path: `${prefix}/api/v2/${operation}/${endpointId}`, body };
}
