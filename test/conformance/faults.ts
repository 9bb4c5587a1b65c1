import { expect, test } from 'vitest';
import { allOperations, type OperationId } from '../../src/spec/index.js';
import { ids } from './rows.js';
import { scenarios } from './scenarios.js';
import { openShop } from './shop.js';
import type { Values } from './signer.js';
import type { Open } from './target.js';

const moneyRows = allOperations.filter(({ effect }) => effect !== 'read').map(({ id }) => id);
const money: readonly OperationId[] = ids.filter((id) => moneyRows.includes(id));

const orderIdOf = (values: Values): string =>
  values['client_orderid'] ?? values['client-order-id'] ?? values['client-orderid'] ?? '';

/** HTTP 500, which says nothing about what was done. */
export function faultCases(open: Open): void {
  const shop = openShop(open);

  test.each(money)('%s answers 500 with an error record, and did nothing', async (id) => {
    const values = await scenarios[id](shop());
    const before = await shop().stateOf(values);
    shop().target.queue('server-error', orderIdOf(values));
    await shop().refused(shop().draft(id, values), /server error/, { status: 500 });
    expect(await shop().stateOf(values)).toEqual(before);
    // Nothing was done, so the same may be asked again; the fault was for one request only.
    await shop().accepted(id, values);
  });

  test.each(money)('%s answers 500 with an error record although it was done', async (id) => {
    const values = await scenarios[id](shop());
    shop().target.queue('server-error-done', orderIdOf(values));
    await shop().refused(shop().draft(id, values), /server error/, { status: 500 });
    shop().settle();
    if (!/^CREATE_RP|^CARDREF/.test(id))
      expect((await shop().status(orderIdOf(values), values['orderid'])).fields['status']).toMatch(
        /^(?:approved|processing)$/,
      );
    const again = await shop().call(id, values);
    // A card reference may be asked for as often as one likes.
    if (!id.startsWith('CARDREF'))
      expect(again.fields['error-message']).toMatch(
        /used before|already|voided|no remaining amount|no 3-D Secure step|is not waiting/,
      );
  });

  test('a queued server error waits for its own order', async () => {
    const [mine, others] = [await scenarios.SALE(shop()), await scenarios.SALE(shop())];
    shop().target.queue('server-error', orderIdOf(mine));
    await shop().accepted('SALE', others);
    await shop().refused(shop().draft('SALE', mine), /server error/, { status: 500 });
  });
}
