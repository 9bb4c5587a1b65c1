import { describe, expect, test } from 'vitest';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, noSuchOrder, saleFlags } from './profiles.js';

const sale = 'sale --amount 10.42 --currency EUR --test-card approved --wait --client-order-id'.split(' ');

describe('the id of an assumption', () => {
  test('is explained once below a result in words', async () => {
    const home = temporaryHome();
    await paycli([...sale, 'o-1'], { home });
    const { out } = await paycli(['order', 'o-1'], { home });
    expect(out).toContain('(A35)');
    expect(out).toMatch(/\nA\d\d(?:, A\d\d)*: assumed, not documented; `paycli assumptions explain A\d\d`\n$/);
    expect(out.split('assumptions explain').length).toBe(2);
  });

  test('is explained below a recipe, by every id in it', async () => {
    const { out } = await paycli(['sign', 'return', '--recipe'], { home: temporaryHome() });
    expect(out).toMatch(/\nA05, .*A45.*: assumed, not documented; `paycli assumptions explain A05`\n$/);
  });

  test('is left alone in JSON and in what was selected', async () => {
    const home = temporaryHome();
    await paycli([...sale, 'o-1'], { home });
    for (const form of ['--json', '--select=orderId'])
      expect((await paycli(['order', 'o-1', form], { home })).out).not.toContain('assumptions explain');
  });

  test('is explained once where a result and the error after it name it', async () => {
    const home = temporaryHome();
    await paycli(['preauth', ...sale.slice(1), 'o-1'], { home });
    await paycli(['capture', 'o-1', '--amount', '5', '--wait'], { home });
    const ran = await paycli(['capture', 'o-1', '--all'], { home });
    expect([ran.exit, ran.err], ran.out).toEqual([4, expect.stringContaining('(A34)')]);
    expect((ran.out + ran.err).split('assumptions explain').length).toBe(2);
  });

  test('is explained below an error where no result explains it', async () => {
    const refusal = { type: 'error', 'error-message': 'the hold expired (A33)', 'error-code': '7' };
    const argv = [...saleFlags, '--select=type'];
    const network = [() => reply(400, refusal), () => noSuchOrder];
    const { err } = await paycli(argv, { home: homeWithProfile(), network });
    expect(err).toMatch(/\nnote: {2}A33: assumed, not documented; `paycli assumptions explain A33`\n/);
  });
});
