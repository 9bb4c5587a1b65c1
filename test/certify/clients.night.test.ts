// @module-tag python3
// @module-tag openssl
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Scenario, scenarios } from '../../src/certify/index.js';
import { program } from '../e2e/program.js';
import { certified } from './certified.js';
import { byChance, faults } from './faults.js';

const shop = ['python3', 'test/certify/clients/shop.py'];
const folder = mkdtempSync(join(tmpdir(), 'paycli-certify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const named = (...names: readonly string[]) => scenarios.filter(({ name }) => names.includes(name));
const notPassed = async (command: readonly string[], env: Record<string, string>, chosen: readonly Scenario[]) =>
  (await certified(command, env, chosen))
    .filter(({ verdict }) => verdict !== 'passed')
    .map(({ scenario, verdict, reasons }) => [scenario.name, verdict, ...reasons]);

test('a table of at least forty scenarios, each with a name of its own', () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(40);
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});

test('a careful client in Python passes, all of it within a minute', { timeout: 120_000 }, async () => {
  const sample = named(
    'approved',
    'capture-part',
    'payout-two-steps',
    'reply-lost',
    'killed-before-reply',
    '3ds-method',
  );
  const chosen = [...sample, ...named('callback-forged', 'other-host-certificate', 'text-signs')];
  const startedAt = performance.now();
  expect(await notPassed(shop, {}, chosen)).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(60_000);
});

describe('a client with a fault fails in the scenarios that fault is about, and in no other', () => {
  test.each(Object.entries(faults))('%s', { timeout: 120_000 }, async (fault, about) => {
    const short = about.filter((name) => name !== 'processing-past-patience').slice(0, 1);
    const chosen = named(...short);
    const chance = byChance[fault] ?? [];
    const failed = (await certified(shop, { FAULT: fault }, chosen))
      .filter(({ verdict }) => verdict !== 'passed')
      .map(({ scenario, verdict }) => [scenario.name, verdict]);
    const expected = chosen.map(({ name }) => name).filter((name) => about.includes(name) && !chance.includes(name));
    expect(failed.filter(([name = '']) => !chance.includes(name))).toEqual(expected.map((name) => [name, 'failed']));
  });
});

test('paycli itself, driven by twenty lines, passes', { timeout: 180_000, tags: ['jq'] }, async () => {
  const driver = readFileSync('test/certify/clients/paycli.sh', 'utf8');
  expect(driver.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  const paycli = join(folder, 'paycli');
  writeFileSync(paycli, `#!/bin/sh\nexec '${process.execPath}' '${await program()}' "$@"\n`);
  chmodSync(paycli, 0o755);
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const chosen = named('reply-lost');
  expect(await notPassed(['bash', 'test/certify/clients/paycli.sh'], env, chosen)).toEqual([]);
});

describe('killed at a random moment in every scenario, and run again', () => {
  const seeds = ['a1'];
  test.each(seeds)('a careful client passes, seed %s', { timeout: 120_000 }, async (seed) => {
    // Of these three, seed a1 kills each before it can be done.
    const chosen = named('return-part', 'late-reply', 'text-signs');
    const judged = await certified(shop, {}, chosen, { isRestarted: true, seed });
    const bad = judged.filter(({ verdict }) => verdict !== 'passed');
    expect(bad.map(({ scenario, reasons }) => [scenario.name, ...reasons])).toEqual([]);
    const killed = judged.filter(({ runs }) => runs.some(({ ended }) => ended === 'killed'));
    expect(killed.length).toBeGreaterThanOrEqual(3);
  });

  test('a client that loses its state pays twice', { timeout: 120_000 }, async () => {
    const chosen = named('killed-before-reply');
    const judged = await certified(shop, { FAULT: 'loses state when killed' }, chosen, { isRestarted: true });
    const twice = judged.filter(({ reasons }) => reasons.includes('money moved 2 times for one order'));
    expect(twice.map(({ scenario }) => scenario.name)).toContain('killed-before-reply');
  });
});

const programs = [
  ['bash', 'bash', ['curl', 'jq']],
  ['python', 'python3', ['python3']],
  ['php', 'php', ['php']],
  ['js', 'node', []],
] as const;

describe('the drivers of the help topic', () => {
  const topic = readFileSync('src/cli/docs/topics/certify.md', 'utf8');
  for (const [language, runs, tags] of programs)
    test(`in ${language} pass every scenario of a sale`, { timeout: 120_000, tags: [...tags] }, async () => {
      const body = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(topic)?.[1] ?? '';
      expect(body.split('\n').length).toBeLessThanOrEqual(53);
      const file = join(folder, `driver.${language === 'js' ? 'mjs' : language}`);
      writeFileSync(file, body);
      const chosen = named('half-reply', 'connection-refused', 'same-order-other-amount');
      expect(await notPassed([runs, file], {}, chosen)).toEqual([]);
    });
});
