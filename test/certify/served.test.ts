import { afterAll, beforeAll, expect, test } from 'vitest';
import { gatewayPorts, scenarios } from '../../src/certify/index.js';
import { type ServedScenarios, serveScenarios } from '../../src/certify/served.js';
import { nodeRuntime } from '../../src/runtime/node.js';
import { rsaPairs } from '../support/rsa-pairs.js';

const usual = nodeRuntime();
const runtime = { ...usual, random: { ...usual.random, rsaPem: rsaPairs() } };
const settings = {
  command: [],
  handler: undefined,
  timeout: 2,
  patience: 5,
  isRestarted: false,
  port: 0,
  callbackHosts: [],
};
let served: ServedScenarios;
beforeAll(async () => {
  served = await serveScenarios(scenarios, settings, await gatewayPorts(settings, runtime), runtime);
});
afterAll(() => served.close());

const page = async () => (await fetch(served.url)).text();

async function press(name: string, value: string): Promise<number> {
  const token = /name="token" value="(\w+)"/.exec(await page())?.[1] ?? '';
  const body = new URLSearchParams({ token, [name]: value });
  return (await fetch(served.url, { method: 'POST', body, redirect: 'manual' })).status;
}

test('each scenario has a button; what came is judged against what the client says', { timeout: 30_000 }, async () => {
  expect((await page()).match(/name="start"/g)).toHaveLength(scenarios.length);
  expect(await press('start', 'void-too-late')).toBe(303);
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

test('pages of other sites press no button', async () => {
  const start = (headers: Record<string, string>, token = 'x') =>
    fetch(served.url, { method: 'POST', headers, body: new URLSearchParams({ token, start: 'approved' }) });
  expect((await start({})).status).toBe(403);
  expect((await fetch(served.url, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
  expect((await fetch(served.url.replace('127.0.0.1', 'localhost'))).status).toBe(403);
});
