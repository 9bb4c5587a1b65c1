import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseCallback, verifyCallback } from '../../src/callbacks/parse-callback.js';
import { Secret } from '../../src/signing/index.js';
import { getOf, key, oldKey, postOf, queryOf, saleFields, sha1 } from './support.js';

const verdict = (raw: Parameters<typeof parseCallback>[0]) =>
  verifyCallback(parseCallback(raw), new Secret(key), 'hex-lower');

describe('the checksum of a callback', () => {
  test('is that of openssl over status, order id, client order id and key', { tags: 'openssl' }, () => {
    const text = `approved12345902B4FF5${key}`;
    const digest = execFileSync('openssl', ['dgst', '-sha1', '-r'], { input: text, encoding: 'utf8' }).slice(0, 40);
    expect(verdict(getOf(saleFields({ control: digest })))).toEqual({
      verified: 'fits',
      why: 'its checksum (control) matches the control key',
    });
  });

  test('fits in either case of its digits, and with no other key', () => {
    const { control = '' } = saleFields();
    expect(verdict(getOf(saleFields({ control: control.toUpperCase() }))).verified).toBe('fits');
    expect(verdict(getOf(saleFields({}, oldKey))).verified).toBe('wrong');
  });

  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ['another digit', { control: sha1('something else') }],
    ['none', { control: '' }],
    [
      'another status than was signed',
      { status: 'approved', control: saleFields({ status: 'declined' })['control'] ?? '' },
    ],
    ['another order than was signed', { orderid: '99999', control: saleFields()['control'] ?? '' }],
  ])('does not match: %s', (_, own) => {
    expect(verdict(getOf(saleFields(own))).verified).toBe('wrong');
  });

  // The digest of the key alone is right for three empty fields.
  test.each([['status'], ['orderid'], ['client_orderid']])('never counts while %s is empty', (name) => {
    const empty = { status: '', orderid: '', client_orderid: '' };
    expect(verdict(getOf(saleFields(empty)))).toMatchObject({
      verified: 'wrong',
      why: expect.stringContaining('missing or empty'),
    });
    expect(verdict(getOf(saleFields({ [name]: '' })))).toEqual({
      verified: 'wrong',
      why: `${name} is missing or empty`,
    });
  });

  test('cannot be told without a key', () => {
    const read = parseCallback(getOf(saleFields()));
    expect(verifyCallback(read, undefined, 'hex-lower')).toMatchObject({ verified: 'no-key' });
  });
});

describe('reading a callback', () => {
  test('takes a form, whose address may have a query of its own', () => {
    const raw = { ...postOf(queryOf(saleFields())), target: '/callback?status=declined&shop=7' };
    expect(parseCallback(raw)).toMatchObject({
      status: 'approved',
      orderId: '12345',
      clientOrderId: '902B4FF5',
      problem: undefined,
    });
    expect(verdict(raw).verified).toBe('fits');
  });

  test.each<readonly [string, Parameters<typeof parseCallback>[0], string]>([
    [
      'a field twice',
      { ...getOf({}), target: `/callback?status=declined&${queryOf(saleFields())}` },
      'status was sent more than once',
    ],
    ['another type', postOf(queryOf(saleFields()), 'text/plain'), 'its body is not a form'],
    ['nothing', { ...getOf({}), target: '/callback' }, 'status is missing or empty'],
  ])('refuses %s', (_, raw, problem) => {
    expect(parseCallback(raw).problem).toBe(problem);
    expect(verdict(raw).verified).toBe('wrong');
  });
});
