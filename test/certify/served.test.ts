import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gatewayPorts, scenarios } from '../../src/certify/index.js';
import { type ServedScenarios, serveScenarios } from '../../src/certify/served.js';
import { nodeRuntime } from '../../src/runtime/node.js';
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
