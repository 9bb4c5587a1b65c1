// Signs the request that is about to be sent. Keys come from the environment and stay there.
const hashes = require('crypto-js');

const resolve = (text) => pm.variables.replaceIn(String(text ?? ''));
const setting = (name) => pm.variables.get(name) ?? '';
const { scheme, values } = signatures[pm.info.requestName];

pm.variables.set('expire_year', String(new Date().getFullYear() + 3));
pm.variables.set('new_order_id', `postman-${Date.now()}-${Math.floor(Math.random() * 1e6)}`);
const fields = pm.request.body.urlencoded
  .all()
  .filter(({ key, disabled }) => !disabled && key !== 'control')
  .map(({ key, value }) => [key, resolve(value)]);
const valueOf = (name) => fields.find(([key]) => key === name)?.[1] ?? '';

// 10.42 USD is 1042, 1042 JPY is 1042.
function minorUnits(amount) {
  const [whole, fraction = ''] = amount.split('.');
  return (whole + fraction.padEnd(digits[valueOf('currency')] ?? 2, '0')).replace(/^0+(?=.)/, '');
}

function encode(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

if (scheme === 'control') {
  const parts = values.map((name) => {
    if (name === 'endpointId') return setting('endpoint_id');
    if (name === 'login') return setting('login');
    return name === 'amount' && valueOf(name) !== '' ? minorUnits(valueOf(name)) : valueOf(name);
  });
  const sum = hashes.SHA1(parts.join('') + setting('control_key'));
  pm.variables.set('control', written(sum));
}

if (scheme === 'hmac-sha1') {
  const oauth = [
    ['oauth_consumer_key', setting('login')],
    ['oauth_nonce', hashes.lib.WordArray.random(16).toString()],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(Math.floor(Date.now() / 1000))],
    ['oauth_version', '1.0'],
  ];
  // RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
  const compare = (one, other) => Number(one > other) - Number(one < other);
  const parameters = [...fields, ...oauth]
    .map((pair) => pair.map(encode))
    .sort(([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue))
    .map((pair) => pair.join('='))
    .join('&');
  const base = ['POST', resolve(pm.request.url.toString()), parameters].map(encode).join('&');
  const signature = hashes.enc.Base64.stringify(hashes.HmacSHA1(base, `${hmacKey(setting('control_key'))}&`));
  const header = [...oauth, ['oauth_signature', signature]].map(([name, value]) => `${name}="${encode(value)}"`);
  pm.variables.set('authorization', `OAuth ${header.join(', ')}`);
}
