import { exits, fail } from '../../../errors/index.js';
import { isSuccess, testCards } from '../../../spec/index.js';
import { defineCommand, on, word } from '../../command.js';
import { outputFlags } from '../../flags.js';
import { withSandbox } from '../../sandbox-session.js';

const usual = testCards[0]?.name ?? '';
const maxWaitMs = 30_000;
const pauseMs = 100;

export const sandboxPay = defineCommand({
  summary: 'Take an order through 3-D Secure or a hosted form, without a browser',
  args: { order: { text: 'the order, by either id, or the address of its page' } },
  flags: {
    testCard: word('<name>', `what the payer types into a form: a published test card (${usual})`),
    fail: on('the payer fails the check of the bank'),
    cancel: on('the payer presses the cancel button'),
    ...outputFlags,
  },
  conflicts: [
    ['cancel', 'testCard'],
    ['cancel', 'fail'],
  ],
  examples: ['sandbox pay order-7', 'sandbox pay order-8 --fail'],
  effect: 'money',
  note: 'It is the payer, the bank and the shop in one, so it works with a sandbox of this machine only. A payer who never comes is `paycli sandbox clock +30m`.',
  result: ['payer'],
  run: ({ args: { order: named }, flags, runtime }) =>
    withSandbox(flags, runtime, async ({ store }, report) => {
      const { payOrder, openingOf } = await import('../../../sandbox/pages/pay.js');
      const card = testCards.find(({ name }) => name === (flags.testCard ?? usual));
      if (card === undefined) throw fail('USAGE', { why: 'there is no test card of that name' });
      const does = flags.cancel === true ? 'cancel' : flags.fail === true ? 'fail' : 'confirm';
      const order = payOrder(store, named, { card, does });
      const end = runtime.clock.monotonic() + maxWaitMs;
      let shown = openingOf(store, order);
      while (shown.opening.status === 'processing' && runtime.clock.monotonic() < end) {
        await runtime.clock.sleep(pauseMs);
        shown = openingOf(store, order);
      }
      const { opening, back } = shown;
      const { status, tdsResult } = opening;
      if (status === 'processing')
        throw fail('PENDING', { why: `order ${order.id} is still processing`, how: `paycli order ${order.id}` });
      await report.show({
        isExact: true,
        document: {
          schema: 'paycli.payer/1',
          ...{ orderId: order.id, clientOrderId: order.clientOrderId, status, verified3d: tdsResult ?? null },
          ...{ to: back?.to ?? null, fields: Object.fromEntries(back?.fields ?? []) },
        },
        text: () =>
          `${status}: order ${order.id}${tdsResult === undefined ? '' : `, 3-D Secure ${tdsResult}`}${back === undefined ? '' : `; goes back to ${back.to}`}\n`,
      });
      return isSuccess(status) || does !== 'confirm' ? exits.ok : exits.declined;
    }),
});
