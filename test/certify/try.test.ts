import { test } from 'vitest';
import { scenarios } from '../../src/certify/index.js';
import { certified } from './certified.js';

test('try', async () => {
  const names = process.env['ONLY']?.split(',');
  const env = { FAULT: process.env['FAULT'] ?? '' };
  const began = performance.now();
  const all = await certified(
    (process.env['CLIENT'] ?? 'python3 test/certify/clients/shop.py').split(' '),
    env,
    scenarios.filter(({ name }) => names === undefined || names.includes(name)),
  );
  for (const one of all)
    if (one.verdict !== 'passed' || process.env['SHOW'])
      console.log(
        one.verdict,
        one.scenario.name,
        one.said.join(),
        JSON.stringify(one.movements),
        one.reasons.join('; '),
        one.ms,
        one.polls,
      );
  if (process.env['SHOW'] === 'all')
    for (const one of all) for (const e of one.events) console.log(e.kind, e.title, e.detail['status']);
  console.log(
    all.length,
    'scenarios',
    all.filter(({ verdict }) => verdict === 'passed').length,
    'passed',
    Math.round(performance.now() - began),
  );
}, 300_000);
