import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli } from '../support/runtime.js';
import { homeWithProfile } from './profiles.js';

const body = `{"zeta": "1", "type":"status-response", "status":"approved", "paynet-order-id": 9223372036854775807,
  "merchant-order-id":"902B4FF5", "nothing":null, "yes": true, "no":false,
  "nested":{"2":1.10,"1":[null, 12345678901234567890, "x y"],"deep":{"a":{}}}, "list":[], "amount":10.50, "empty":""}`;
const answer: Delivery = {
  kind: 'reply',
  reply: { status: 200, headers: { 'content-type': 'application/vnd.pay+json' }, body: Buffer.from(body) },
};
const ask = (...more: string[]) =>
  paycli(['status', '9223372036854775807', '--client-order-id', '902B4FF5', ...more], {
    home: homeWithProfile(),
    network: [() => answer],
  });
const order = 'zeta type status paynet-order-id merchant-order-id nothing yes no nested list amount'.split(' ');

describe('the content of a reply is kept exactly', () => {
  test('in JSON: every field in the order of the gateway, null, truth values, nested values and all digits', async () => {
    const { out } = await ask('--json');
    const result = out.slice(out.indexOf('"result": {'), out.indexOf('\n  },', out.indexOf('"result": {')));
    const names = [...result.matchAll(/^ {4}"([^"]+)":/gm)].map(([, name]) => name);
    expect(names).toEqual([...order, 'empty']);
    expect(JSON.parse(out).result).toMatchObject({
      nothing: null,
      yes: true,
      no: false,
      list: [],
      empty: '',
      amount: '10.50',
    });
    expect(result).toContain('"paynet-order-id": "9223372036854775807"');
    expect(result.replace(/\s+/g, '')).toContain(
      '"nested":{"1":[null,12345678901234567890,"xy"],"2":1.10,"deep":{"a":{}}}',
    );
  });

  test('null is no value: an order id or an address that is null is not there', async () => {
    const nulls = body.replace('"zeta": "1"', '"redirect-to": null, "redirect-url": null');
    const ran = await paycli(['status', '9223372036854775807', '--client-order-id', '902B4FF5'], {
      home: homeWithProfile(),
      network: [() => ({ ...answer, reply: { ...answer.reply, body: Buffer.from(nulls) } }) as Delivery],
    });
    expect(ran.out).not.toContain('the payer has to continue at');
  });
});
