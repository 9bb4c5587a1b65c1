import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { allOperations, type OperationId } from '../../src/spec/index.js';
import { ids } from './rows.js';
import {
  approved,
  cardRef,
  challengeStep,
  checkedPayout,
  methodStep,
  type Named,
  named,
  payerStep,
  payment,
  scenarios,
  wordOf,
} from './scenarios.js';
import { openShop } from './shop.js';
import type { Values } from './signer.js';
import type { Open } from './target.js';

/** What a well-formed, well-signed request may still not do, and that it then changes nothing. */
export function moveCases(open: Open): void {
  const shop = openShop(open);

  const refused = async (id: OperationId, values: Values, reason: RegExp) => {
    const before = await shop().stateOf(values);
    await shop().refused(shop().draft(id, values), reason);
    expect(await shop().stateOf(values)).toEqual(before);
  };

  const aboutOrders: readonly OperationId[] = [
    'CAPTURE',
    'VOID',
    'RETURN',
    'STATUS',
    'CARDREF',
    'CARDREF_V4',
    'PAYOUT_V4_PAY',
    'TDS_UPLOAD_CRES_RESULT',
    'TDS_UPLOAD_METHOD_URL_RESULT',
    'TDS_UPLOAD_PARES_RESULT',
  ];
  for (const id of aboutOrders)
    describe(id, () => {
      test('refuses an order nobody made', async () => {
        const values = await scenarios[id](shop());
        for (const orderid of ['99999999999', '1', '18446744073709551615', '00000000000000000001'])
          await shop().refused(shop().draft(id, { ...values, orderid }), /^order not found$/, {
            type: 'validation-error',
          });
        await shop().accepted(id, values);
      });

      test("refuses another merchant's order, and does not tell it from one nobody made", async () => {
        const values = await scenarios[id](shop());
        const { stranger } = shop();
        const login = values['login'] === undefined ? {} : { login: stranger.merchant.login };
        await stranger.refused(stranger.draft(id, { ...values, ...login }), /^order not found$/, {
          type: 'validation-error',
        });
        await shop().accepted(id, values);
      });

      test('refuses an order together with the client order id of another one (A41)', async () => {
        const values = await scenarios[id](shop());
        const wire = values['client_orderid'] === undefined ? 'client-order-id' : 'client_orderid';
        for (const other of [shop().newId(), (await approved(shop(), 'SALE')).client_orderid])
          await shop().refused(
            shop().draft(id, { ...values, [wire]: other }),
            /^client_orderid is not the one|have another|belong together/,
            { type: 'validation-error' },
          );
        await shop().accepted(id, values);
      });
    });

  test('status of a client order id nobody used is refused', async () => {
    await refused('STATUS', { login: shop().merchant.login, client_orderid: shop().newId() }, /^order not found$/);
  });

  const duplicable = allOperations.filter(({ opens }) => opens).map(({ id }) => id);
  test.each(ids.filter((id) => duplicable.includes(id)))(
    'a second %s with a used client_orderid is refused (A20)',
    async (id) => {
      const values = await scenarios[id](shop());
      await shop().accepted(id, values);
      await refused(id, values, new RegExp(`^client_orderid was used before, by ${id}; `));
      shop().settle();
      await refused(id, values, new RegExp(`^client_orderid was used before, by ${id}; `));
      const elsewhere: OperationId = id === 'PREAUTH' ? 'SALE' : 'PREAUTH';
      const used = values['client_orderid'] ?? values['client-order-id'] ?? values['client-orderid'] ?? '';
      await refused(
        elsewhere,
        { ...payment(shop()), client_orderid: used },
        new RegExp(`^client_orderid was used before, by ${id}; `),
      );
    },
  );

  test('two merchants may use the same client_orderid', async () => {
    const values = payment(shop());
    await shop().accepted('SALE', values);
    const { stranger } = shop();
    await stranger.accepted('SALE', values);
    expect((await stranger.status(values['client_orderid'] ?? '')).fields['end-point-id']).toBe(
      stranger.merchant.endpointId,
    );
  });

  const processing = async (id: 'SALE' | 'PREAUTH', changes: Values = {}): Promise<Named> => {
    const values = { ...payment(shop()), ...changes };
    return named(shop(), values, await shop().accepted(id, values));
  };
  const declined = async (id: 'SALE' | 'PREAUTH'): Promise<Named> => {
    const order = await processing(id, { cvv2: '777' });
    shop().settle();
    expect(await wordOf(shop(), order)).toBe('declined');
    return order;
  };
  const after = async (order: Named, id: OperationId, changes: Values = {}): Promise<Named> => {
    await shop().accepted(id, { ...order, ...changes });
    shop().settle();
    return order;
  };
  const part = (amount: string): Values => ({ amount, currency: 'USD' });
  const held = () => approved(shop(), 'PREAUTH');
  const sold = () => approved(shop(), 'SALE');

  const moves: readonly (readonly [
    name: string,
    id: OperationId,
    order: () => Promise<Named>,
    changes: Values,
    reason: RegExp,
  ])[] = [
    [
      'a capture of a preauth still processing',
      'CAPTURE',
      () => processing('PREAUTH'),
      {},
      /the preauth is processing; this requires an approved one/,
    ],
    ['a capture of a declined preauth', 'CAPTURE', () => declined('PREAUTH'), {}, /the preauth is declined/],
    ['a capture of a sale', 'CAPTURE', sold, {}, /only a preauth can be captured, but this is a sale/],
    [
      'a capture over the hold',
      'CAPTURE',
      held,
      part('10.43'),
      /^amount 10\.43 is more than the remaining 10\.42 USD of the hold/,
    ],
    ['a capture in another currency', 'CAPTURE', held, { amount: '1.00', currency: 'EUR' }, /^currency must be USD/],
    [
      'a second capture',
      'CAPTURE',
      async () => after(await held(), 'CAPTURE', part('1.00')),
      part('1.00'),
      /already captured; a hold is captured once/,
    ],
    ['a capture after a void', 'CAPTURE', async () => after(await held(), 'VOID'), {}, /the order was voided/],
    [
      'a capture after a whole return',
      'CAPTURE',
      async () => after(await held(), 'RETURN'),
      {},
      /released by a return/,
    ],
    [
      'an amount of a capture without its currency',
      'CAPTURE',
      held,
      { amount: '1.00' },
      / together: currency is missing/,
    ],
    [
      'a currency of a capture without its amount',
      'CAPTURE',
      held,
      { currency: 'USD' },
      / together: amount is missing/,
    ],
    [
      'an amount of a return without its currency',
      'RETURN',
      sold,
      { amount: '1.00' },
      / together: currency is missing/,
    ],
    ['a currency of a return without its amount', 'RETURN', sold, { currency: 'USD' }, / together: amount is missing/],
    [
      'a void with a partial amount',
      'VOID',
      held,
      part('1.00'),
      /amount is not allowed here: a void never takes a partial amount/,
    ],
    [
      'a void with the whole amount',
      'VOID',
      held,
      part('10.42'),
      /amount is not allowed here: a void never takes a partial amount/,
    ],
    ['a void of a sale, which is settled', 'VOID', sold, {}, /only a hold can be voided, but this is a sale/],
    ['a void of a preauth still processing', 'VOID', () => processing('PREAUTH'), {}, /the preauth is processing/],
    ['a void after a capture', 'VOID', async () => after(await held(), 'CAPTURE'), {}, /it was already captured/],
    ['a second void', 'VOID', async () => after(await held(), 'VOID'), {}, /the order was voided/],
    [
      'a void after a partial return',
      'VOID',
      async () => after(await held(), 'RETURN', part('1.00')),
      {},
      /it was returned in part or in full/,
    ],
    [
      'a return of a sale still processing',
      'RETURN',
      () => processing('SALE'),
      {},
      /the sale is processing, and a return needs a final successful status/,
    ],
    [
      'a return of a declined sale',
      'RETURN',
      () => declined('SALE'),
      {},
      /the sale is declined, and a return needs a final successful status/,
    ],
    [
      'a return over the sale',
      'RETURN',
      sold,
      part('10.43'),
      /^amount 10\.43 is more than the remaining 10\.42 USD of the captured amount/,
    ],
    [
      'a return over the captured part',
      'RETURN',
      async () => after(await held(), 'CAPTURE', part('6.00')),
      part('6.01'),
      /more than the remaining 6\.00 USD/,
    ],
    [
      'a return over what returns have left',
      'RETURN',
      async () => after(await sold(), 'RETURN', part('6.00')),
      part('4.43'),
      /more than the remaining 4\.42 USD/,
    ],
    [
      'a return after a whole return',
      'RETURN',
      async () => after(await sold(), 'RETURN'),
      {},
      /no remaining amount to return/,
    ],
    ['a return after a void', 'RETURN', async () => after(await held(), 'VOID'), {}, /the order was voided/],
    [
      'a return while a return is processing',
      'RETURN',
      async () => {
        const order = await sold();
        await shop().accepted('RETURN', { ...order, ...part('1.00') });
        return order;
      },
      part('1.00'),
      /an earlier follow-up of this order is still pending or unknown/,
    ],
    [
      'a return of an account verification',
      'RETURN',
      () => approved(shop(), 'ACCOUNT_VERIFICATION'),
      {},
      /an? account-verification cannot be returned/,
    ],
    [
      'a card reference of a declined sale',
      'CARDREF',
      () => declined('SALE'),
      {},
      /the sale is declined; this requires an approved one/,
    ],
    [
      'a card reference of a checked payout',
      'CARDREF',
      () => checkedPayout(shop()),
      {},
      /a payout-check has no card to tokenize/,
    ],
    [
      'a payment of a payout that was not checked',
      'PAYOUT_V4_PAY',
      sold,
      {},
      /only a checked payout can be paid, but this is a sale/,
    ],
    [
      'a second payment of a checked payout',
      'PAYOUT_V4_PAY',
      async () => after(await checkedPayout(shop()), 'PAYOUT_V4_PAY'),
      {},
      /it was paid already/,
    ],
    [
      'a capture over seven days after the hold (A33)',
      'CAPTURE',
      async () => {
        const order = await held();
        shop().target.advance(7 * 24 * 3_600_000 + 1);
        return order;
      },
      {},
      /the hold expired/,
    ],
  ];
  test.each(moves)('%s is refused', async (_, id, order, changes, reason) => {
    await refused(id, { ...(await order()), ...changes }, reason);
  });

  test('a payout is not paid before its check is over (A29)', async () => {
    const values = await scenarios.PAYOUT_V4_CHECK(shop());
    const order = named(shop(), values, await shop().accepted('PAYOUT_V4_CHECK', values));
    const { client_orderid, orderid, login } = order;
    await refused('PAYOUT_V4_PAY', { client_orderid, orderid, login }, /its check is still running/);
    shop().settle();
    await shop().accepted('PAYOUT_V4_PAY', { client_orderid, orderid, login });
  });

  test.each(['CARDINFO', 'REBILL', 'PAN_ELIGIBILITY_SEND'] as const)(
    "%s refuses a card reference of nobody, and another merchant's",
    async (id) => {
      const values = await scenarios[id](shop());
      const wire = values['cardrefid'] === undefined ? 'sending-card-ref-id' : 'cardrefid';
      const reason = new RegExp(`^${wire} is not a card reference of this merchant$`);
      const { stranger } = shop();
      for (const ref of ['1', '99999999999999999999', await cardRef(stranger)])
        await refused(id, { ...values, [wire]: ref }, reason);
      await shop().accepted(id, values);
    },
  );
}

/** What 3-D Secure uploads may not do, and what they do. */
export function uploadCases(open: Open): void {
  const shop = openShop(open);
  const refused = async (id: OperationId, values: Values, reason: RegExp) => {
    const before = await shop().stateOf(values);
    await shop().refused(shop().draft(id, values), reason);
    expect(await shop().stateOf(values)).toEqual(before);
  };
  const statusOf = async (values: Values) => {
    shop().settle();
    return (await shop().status(values['client-order-id'] ?? '', values['orderid'])).fields;
  };

  const uploads = [
    ['TDS_UPLOAD_METHOD_URL_RESULT', methodStep],
    ['TDS_UPLOAD_CRES_RESULT', challengeStep],
    ['TDS_UPLOAD_PARES_RESULT', payerStep],
  ] as const;
  test.each(uploads)('%s is taken once, and for its own step only', async (id, step) => {
    const values = await step(shop());
    const own: Values = {
      login: values['login'] ?? '',
      'client-order-id': values['client-order-id'] ?? '',
      orderid: values['orderid'] ?? '',
    };
    for (const [other, otherStep] of uploads.filter(([each]) => each !== id))
      await refused(other, { ...(await otherStep(shop())), ...own }, /the order is not waiting for /);
    await shop().accepted(id, values);
    await refused(id, values, /the order is not waiting for |no 3-D Secure step is open/);
    shop().settle();
    await refused(id, values, /the order is not waiting for |no 3-D Secure step is open/);
  });

  test.each(['N', 'U', 'R'])('a challenge that ended with %s declines the payment', async (letter) => {
    const values = await challengeStep(shop(), letter);
    await shop().accepted('TDS_UPLOAD_CRES_RESULT', values);
    expect((await statusOf(values))['status']).toBe('declined');
  });

  test.each([
    ['N', 'NOT_AUTHENTICATED'],
    ['U', 'UNSUPPORTED'],
  ])(
    'a payer whom 3-D Secure 1 answers with %s has not been authenticated: the payment is declined',
    async (letter, shown) => {
      const values = await payerStep(shop(), letter);
      await shop().accepted('TDS_UPLOAD_PARES_RESULT', values);
      expect(await statusOf(values)).toMatchObject({ status: 'declined', 'verified-3d-status': shown });
    },
  );

  test('a letter that 3-D Secure 1 does not have authenticates nobody', async () => {
    for (const letter of ['C', 'X', 'y']) {
      const values = await payerStep(shop(), letter);
      await refused('TDS_UPLOAD_PARES_RESULT', values, /^the status of paRes must be Y, A, N or U$/);
    }
  });

  test.each(['Y', 'N', 'U'])('a method result of %s leads to the challenge', async (threeDSCompInd) => {
    const values = await methodStep(shop());
    await shop().accepted('TDS_UPLOAD_METHOD_URL_RESULT', { ...values, threeDSCompInd });
    expect(await statusOf(values)).toMatchObject({ status: 'processing', tds_status: 'CReqForm' });
  });

  test('a method result of another transaction is refused', async () => {
    const values = await methodStep(shop());
    const { threeDSServerTransID = '' } = await methodStep(shop());
    await refused(
      'TDS_UPLOAD_METHOD_URL_RESULT',
      { ...values, threeDSServerTransID },
      /^threeDSServerTransID does not match order /,
    );
  });

  test('a challenge response of another transaction, of another kind, or without a result is refused', async () => {
    const values = await challengeStep(shop());
    const { cRes: foreign = '' } = await challengeStep(shop());
    await refused(
      'TDS_UPLOAD_CRES_RESULT',
      { ...values, cRes: foreign },
      /^cRes belongs to a different 3-D Secure transaction/,
    );
    const own: unknown = JSON.parse(Buffer.from(values['cRes'] ?? '', 'base64url').toString());
    const packed = (changes: object) =>
      Buffer.from(JSON.stringify({ ...(typeof own === 'object' ? own : {}), ...changes })).toString('base64url');
    const other = '8a880dc0-d2d2-4067-bcb1-b08d1690b26e';
    for (const changes of [{ threeDSServerTransID: other }, { acsTransID: other }])
      await refused(
        'TDS_UPLOAD_CRES_RESULT',
        { ...values, cRes: packed(changes) },
        /^cRes belongs to a different 3-D Secure transaction/,
      );
    await refused(
      'TDS_UPLOAD_CRES_RESULT',
      { ...values, cRes: packed({ messageType: 'CReq' }) },
      /^messageType of cRes must be CRes/,
    );
    await refused(
      'TDS_UPLOAD_CRES_RESULT',
      { ...values, cRes: packed({ transStatus: undefined }) },
      /^transStatus of cRes must be /,
    );
    await refused(
      'TDS_UPLOAD_CRES_RESULT',
      { ...values, cRes: packed({ threeDSServerTransID: undefined }) },
      /^cRes has no threeDSServerTransID/,
    );
    await refused(
      'TDS_UPLOAD_CRES_RESULT',
      { ...values, cRes: 'bm8ganNvbiBhdCBhbGw' },
      /^cRes is not Base64 of a JSON object/,
    );
    await refused('TDS_UPLOAD_CRES_RESULT', { ...values, cRes: 'bnVsbA' }, /^cRes is not Base64 of a JSON object/);
  });

  test('a payer authentication response that is no message, or that unpacks to far too much, is refused', async () => {
    const values = await payerStep(shop());
    await refused('TDS_UPLOAD_PARES_RESULT', { ...values, paRes: 'bm8geG1s' }, /^paRes is not Base64 of XML/);
    await refused(
      'TDS_UPLOAD_PARES_RESULT',
      { ...values, paRes: Buffer.from('<PARes/>').toString('base64') },
      /^the status of paRes must be /,
    );
    const bomb = deflateSync(Buffer.alloc(5_000_000, 0x20)).toString('base64');
    expect(bomb.length).toBeLessThan(10_240);
    await refused('TDS_UPLOAD_PARES_RESULT', { ...values, paRes: bomb }, /^paRes is not Base64 of XML/);
  });
}
