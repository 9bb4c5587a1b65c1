import { describe, expect, test } from 'vitest';
import { type ControlEncoding, requestSigning } from '../../src/signing/index.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { credentials, fresh, merchant, received, rowOf, unsignedOf, withSwitch } from './request-support.js';
import { controls } from './support.js';

const assumeFor = (encoding: ControlEncoding) => withSwitch('control-encoding', encoding);
const cases = controls.vectors.flatMap((vector) => vector.operations.map((operation) => ({ ...vector, operation })));

describe.each(cases)('$operation: $name', ({ operation, values, minor, encoding, control, slots, signed }) => {
  const unsigned = unsignedOf(operation, values, minor);
  const request = requestSigning.sign(unsigned, credentials, assumeFor(encoding), fresh);

  test('carries the checksum of the vector as its last field, and is accepted', () => {
    expect(request.pairs).toEqual([...unsigned.pairs, ['control', control]]);
    expect(request.headers).toEqual({
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/vnd.pay+json',
      'Accept-Encoding': 'identity',
    });
    expect(requestSigning.verify(received(unsigned, request), merchant, assumeFor(encoding))).toEqual({ ok: true });
  });

  test('shows what was joined, and no key', () => {
    const { stages } = request;
    if (stages.scheme !== 'control') throw new Error(stages.scheme);
    expect(stages).toMatchObject({
      string: signed.join(''),
      encoding,
      digest: control,
      length: Buffer.byteLength(signed.join('')),
    });
    expect(stages.slots.map((slot) => slot.wire)).toEqual(slots);
    expect(stages.slots.map((slot) => slot.value)).toEqual(signed);
    expect(JSON.stringify(stages)).not.toContain(controls.controlKey);
  });
});

describe('a checksum', () => {
  const unsigned = unsignedOf(
    'CAPTURE',
    { clientOrderId: 'order-17', orderId: '903412', amount: '10.42', currency: 'EUR' },
    '1042',
  );
  const request = requestSigning.sign(unsigned, credentials, assumeDefaults, fresh);
  const good = received(unsigned, request);
  const [, digest = ''] = request.pairs.at(-1) ?? [];
  const replaced = (name: string, value: string) =>
    good.pairs.map(([key, old]) => [key, key === name ? value : old] as const);
  const without = (name: string) => good.pairs.filter(([key]) => key !== name);

  test.each([
    ['is missing', { pairs: without('control') }, 'control-missing'],
    ['is in capitals', { pairs: replaced('control', digest.toUpperCase()) }, 'control-wrong'],
    ['stands there twice', { pairs: [...good.pairs, ['control', digest] as const] }, 'control-wrong'],
    ['has a signed field twice', { pairs: [...good.pairs, ['orderid', '903412'] as const] }, 'control-wrong'],
    ['is for another order', { pairs: replaced('orderid', '903413') }, 'control-wrong'],
    ['is for another amount', { minor: '1043' }, 'control-wrong'],
    ['is for an amount that is now gone', { pairs: without('amount') }, 'control-wrong'],
  ])('that %s is refused', (_, change, reason) => {
    expect(requestSigning.verify({ ...good, ...change }, merchant, assumeDefaults)).toMatchObject({
      ok: false,
      reason,
    });
  });

  test('of an amount that cannot be read is refused, and not taken as one without', () => {
    const full = unsignedOf('CAPTURE', { clientOrderId: 'order-17', orderId: '903412' });
    const { pairs } = requestSigning.sign(full, credentials, assumeDefaults, fresh);
    const verdict = requestSigning.verify(
      { ...received(full, { ...request, pairs }), pairs: [...pairs, ['amount', 'x']] },
      merchant,
      assumeDefaults,
    );
    expect(verdict).toEqual({ ok: false, reason: 'control-wrong', detail: 'amount is not an amount' });
  });

  test('in an encoding other than the configured one is refused', () => {
    expect(requestSigning.verify(good, merchant, withSwitch('control-encoding', 'base64'))).toMatchObject({
      reason: 'control-wrong',
    });
  });
});

test('an amount that was not converted is never signed as none', () => {
  const unsigned = unsignedOf('SALE', { clientOrderId: 'order-17', amount: '10.42', email: 'jane@example.com' });
  expect(() => requestSigning.sign(unsigned, credentials, assumeDefaults, fresh)).toThrow(
    expect.objectContaining({ code: 'INTERNAL' }),
  );
});

test('a request without protection is sent and taken as it is', () => {
  const row = rowOf('CARDINFO');
  const unsigned = {
    row,
    url: 'https://gateway.example/x',
    endpointId: '1',
    protection: { scheme: 'none' },
    values: {},
    pairs: [['a', 'b c']],
  } as const;
  const request = requestSigning.sign(unsigned, { login: 'shop_1' }, assumeDefaults, fresh);
  expect(request).toMatchObject({ body: 'a=b%20c', pairs: [['a', 'b c']], stages: { scheme: 'none' } });
  expect(requestSigning.verify(received(unsigned, request), merchant, assumeDefaults)).toEqual({ ok: true });
});
