import { describe, expect, test } from 'vitest';
import { allOperations, type OperationId } from '../../src/spec/index.js';
import { ids } from './rows.js';
import { approved, cardRef, payment, scenarios } from './scenarios.js';
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
          await shop().refused(shop().draft(id, { ...values, orderid }), /^order not found$/);
        await shop().accepted(id, values);
      });

      test("refuses another merchant's order, and does not tell it from one nobody made", async () => {
        const values = await scenarios[id](shop());
        const { stranger } = shop();
        const login = values['login'] === undefined ? {} : { login: stranger.merchant.login };
        await stranger.refused(stranger.draft(id, { ...values, ...login }), /^order not found$/);
        await shop().accepted(id, values);
      });

      test('refuses an order together with the client order id of another one (A41)', async () => {
        const values = await scenarios[id](shop());
        const wire = values['client_orderid'] === undefined ? 'client-order-id' : 'client_orderid';
        for (const other of [shop().newId(), (await approved(shop(), 'SALE')).client_orderid])
          await shop().refused(
            shop().draft(id, { ...values, [wire]: other }),
            /^client_orderid is not the one|have another|belong together/,
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
