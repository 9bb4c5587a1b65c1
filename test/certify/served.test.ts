import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayPorts, scenarios } from '../../src/certify/index.js';
import { type ServedScenarios, serveScenarios } from '../../src/certify/served.js';
import { nodeRuntime } from '../../src/runtime/node.js';
import { openBrowser } from '../e2e/hosted.js';
import { isEvery, oneIn } from '../support/every.js';
import { rsaPairs } from '../support/rsa-pairs.js';
import { quickSettings as settings } from './certified.js';

const usual = nodeRuntime();
const runtime = { ...usual, random: { ...usual.random, rsaPem: rsaPairs() } };
let served: ServedScenarios;
beforeAll(async () => {
  served = await serveScenarios(scenarios, settings, await gatewayPorts(settings, runtime), runtime);
});
afterAll(() => served.close());

const page = async (url = served.url) => (await fetch(url)).text();

async function press(name: string, value: string, url = served.url): Promise<number> {
  const token = /name="token" value="(\w+)"/.exec(await page(url))?.[1] ?? '';
  const body = new URLSearchParams({ token, [name]: value });
  return (await fetch(url, { method: 'POST', body, redirect: 'manual' })).status;
}

test('each scenario has a button; what came is judged against what the client says', { timeout: 30_000 }, async () => {
  expect((await page()).match(/name="start"/g)).toHaveLength(scenarios.length);
  expect(await press('start', 'void-too-late')).toBe(303);
  expect(/role="alert"[^<]*/.exec(await page())?.[0]).toBeUndefined();
  expect(await page()).toContain('PAYCLI_BASE_URL=http://127.0.0.1:');
  expect(await press('said', 'refused')).toBe(303);
  await press('start', 'approved');
  await press('said', 'paid');
  const judged = served.judged.filter(({ verdict }) => verdict !== 'not run');
  expect([judged.length, served.judged.length]).toEqual([2, scenarios.length]);
  expect(judged.map(({ scenario, verdict }) => [scenario.name, verdict])).toEqual([
    ['approved', 'failed'],
    ['void-too-late', 'passed'],
  ]);
  expect(await page()).toContain('it reported paid, but no money moved');
});

test('a scenario that cannot be set up says why', { timeout: 30_000 }, async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const other = await serveScenarios(
    scenarios,
    settings,
    { ...(await gatewayPorts(settings, runtime)), port },
    runtime,
  );
  try {
    await press('start', 'approved', other.url);
    expect(await page(other.url)).toContain(`<p role="alert" class="failed">port ${port} is in use`);
    await expect(
      serveScenarios(scenarios, { ...settings, pagePort: port }, await gatewayPorts(settings, runtime), runtime),
    ).rejects.toMatchObject({ code: 'PORT_TAKEN' });
  } finally {
    await other.close();
    await new Promise((resolve) => taken.close(resolve));
  }
});

test('a reply ends its connection: the next press, seconds later, would meet one that is just being closed', async () => {
  const token = /name="token" value="(\w+)"/.exec(await page())?.[1] ?? '';
  const replies = [
    await fetch(served.url),
    await fetch(served.url, { method: 'POST', body: new URLSearchParams({ token }), redirect: 'manual' }),
    await fetch(served.url, { method: 'POST' }),
  ];
  expect(replies.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
    [200, 'close'],
    [303, 'close'],
    [403, 'close'],
  ]);
});

test('pages of other sites press no button', async () => {
  const start = (headers: Record<string, string>, token = 'x') =>
    fetch(served.url, { method: 'POST', headers, body: new URLSearchParams({ token, start: 'approved' }) });
  expect((await start({})).status).toBe(403);
  expect((await fetch(served.url, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
  expect((await fetch(served.url.replace('127.0.0.1', 'localhost'))).status).toBe(403);
});

if (isEvery)
  describe('in a browser', { tags: ['chromium'] }, () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser?.close());

    const looks: readonly (readonly ['light' | 'dark', number])[] = [
      ['light', 390],
      ['dark', 1280],
    ] as const;
    test.each(oneIn(2, looks, 0))(
      'a person starts, judges and reads it, %s, %i px',
      { timeout: 60_000 },
      async (colorScheme, width) => {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
        const page = await context.newPage();
        await page.goto(served.url);
        // What is asserted next may stand on the page before, too.
        const press = (name: string) =>
          Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).click()]);
        await press('Start return-part');
        const running = page.getByRole('region', { name: 'Running scenario' });
        expect(await running.getByRole('heading').textContent()).toBe('return-part');
        expect(await running.locator('pre').first().textContent()).toContain('PAYCLI_CONTROL_KEY_FILE=');
        expect(JSON.parse((await running.locator('pre').nth(1).textContent()) ?? '')).toMatchObject({
          operation: 'return',
        });
        expect(await flaws(page)).toEqual([]);
        await running.getByLabel('Your client').selectOption('unknown');
        await press('Judge');
        const result = (name: string) =>
          page
            .getByRole('listitem')
            .filter({ hasText: `Start ${name}` })
            .locator('strong');
        expect(await result('return-part').textContent()).toMatch(
          /^failed: no money moved, although it should have; it reported unknown, but it should have reported paid\. Correct: /,
        );
        await press('Start void-too-late');
        await page.getByLabel('Your client').selectOption('refused');
        await press('Judge');
        expect(await result('void-too-late').textContent()).toBe('passed');
        expect(await flaws(page)).toEqual([]);
        await context.close();
      },
    );

    /** What axe finds, contrast among it, and whether the page is wider than the screen. */
    async function flaws(page: Awaited<ReturnType<Browser['newPage']>>): Promise<unknown> {
      await page.evaluate(`${axe}; undefined`);
      const run = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(' '))))`;
      const isWide = `document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['too wide'] : []`;
      return [...((await page.evaluate(run)) as string[]), ...((await page.evaluate(isWide)) as string[])];
    }
  });
