import { protectionOf } from '../../wire/check.js';
import { accept, formType } from '../checks/body.js';
import { maskedText } from '../log/masked.js';
import { type Detector, nothing, type Sighting, sighting } from './seen.js';

/** Address, method and size. */
export const address: Detector = ({ refusal, request, route, login }) => {
  if (refusal.reason === 'unknown-path') return sighting('address-wrong', 'there is no operation at this path');
  if (refusal.reason === 'method') return sighting('address-wrong', `${method(request.method)} instead of POST`);
  if (refusal.reason === 'too-large') return sighting('body-too-large', refusal.message);
  if (route === undefined || refusal.reason !== 'invalid') return nothing;
  const withQuery = /^[^#]*\?/.test(request.url) ? sighting('address-wrong', `${route.id} with a query in the address`) : nothing;
  return login === undefined ? [...withQuery, ...sighting('endpoint-unknown', `${route.id} to an endpoint nobody has`)] : withQuery;
};

function method(name: string): string {
  return /^[A-Z]{1,10}$/.test(name) ? name : 'another method';
}

/** Headers. */
export const headers: Detector = ({ refusal, request, route, pairs, terms }) => {
  if (refusal.reason !== 'invalid' || route === undefined) return nothing;
  const found: Sighting[] = [];
  const given = request.headers['accept'];
  if (given === undefined) found.push({ rule: 'accept-missing', detail: `${route.id} without Accept` });
  else if (given !== accept) found.push({ rule: 'accept-inexact', detail: `Accept: ${maskedText(given)}` });
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== formType) found.push({ rule: 'content-type', detail: `Content-Type: ${maskedText(mediaType ?? 'missing')}` });
  const { scheme } = protectionOf(route.row, terms.assume);
  const isOauth = scheme === 'hmac-sha1' || scheme === 'rsa-sha256';
  if (isOauth && pairs.some(([name]) => name === 'control'))
    found.push({ rule: 'scheme-control-for-oauth', detail: `${route.id} takes OAuth 1.0a, ${scheme.toUpperCase()}` });
  if (!isOauth && request.headers['authorization'] !== undefined)
    found.push({
      rule: 'scheme-oauth-for-control',
      detail: `${route.id} takes ${scheme === 'control' ? 'the field control' : 'no signature'}`,
    });
  return found;
};
