import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { diffControl, diffOauth, signedBaseString, signedControl } from '../../../src/signing/diagnose/index.js';
import { caseOf, controlSale, plain } from './orders.js';
import { baseString, type Order } from './signer.js';

const { key } = controlSale;
const sale = { ...controlSale, currency: 'EUR' };

describe('the text behind a checksum', () => {
  test('is that of the likeliest explanation, with two mistakes as well', () => {
    const control = createHash('sha1').update(`1234.50order-7${key}`).digest('hex');
    const found = diffControl(sale, { control });
    expect(found.explanations[0]).toHaveLength(2);
    expect(signedControl(sale, control, found)?.string).toBe('1234.50order-7');
  });

  test('is none where nothing explains it', () => {
    const control = createHash('sha1').update('of nobody').digest('hex');
    expect(signedControl(sale, control, { match: false, mistakes: [], explanations: [] })).toBeUndefined();
  });
});

describe('the base string behind a signature', () => {
  const secret = 'b17f59b4-a7dc-41b4-8ff9-37d986b43d2a';
  const order: Order = {
    ...plain,
    secret,
    body: [
      ['order_desc', "Tom's & Co (1)! a+b"],
      ['amount', '10.42'],
    ],
  };
  const right = baseString(order);
  const lower = (text: string) => text.replace(/%25[0-9A-F]{2}/g, (each) => each.toLowerCase());
  const marks = right.replace('%2521', '%21').replace('%2528', '%28').replace('%2529', '%29').replace('%2527', '%27');

  test.each([
    ['escapes of the values in lower case', lower(right)],
    ["!'() as encodeURIComponent leaves them", marks],
    ['nothing encoded', decodeURIComponent(right)],
  ])('is what was signed, or is not shown: %s', (_, text) => {
    const signature = createHmac('sha1', `${secret}&`).update(text).digest('base64');
    const found = diffOauth(caseOf(order), { signature });
    expect(found.explanations[0]).toHaveLength(1);
    expect([text, undefined]).toContain(signedBaseString(caseOf(order), { signature }, found));
  });

  test('is the right one where only the key is wrong', () => {
    const signature = createHmac('sha1', secret).update(right).digest('base64');
    const found = diffOauth(caseOf(order), { signature });
    expect(found.mistakes[0]?.name).toBe('signing-key');
    expect(signedBaseString(caseOf(order), { signature }, found)).toBe(right);
  });
});
