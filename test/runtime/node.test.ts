import { describe, expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../src/runtime/machine.js';
import { nodeRuntime } from '../../src/runtime/node.js';
import { systemProcesses } from '../../src/runtime/processes.js';

test('the clock moves on', async () => {
  const start = systemClock.monotonic();
  await systemClock.sleep(20);
  expect(systemClock.monotonic() - start).toBeGreaterThan(15);
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
});

describe('random', () => {
  test('letters are of the length asked for and all 62 come about equally often', () => {
    const text = systemRandom.letters(62_000);
    const counts = new Map<string, number>();
    for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(text).toMatch(/^[A-Za-z0-9]{62000}$/);
    expect(counts.size).toBe(62);
    // Seven standard deviations: 1 in 10^11 runs fails by chance.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(220);
    expect(systemRandom.letters(0)).toBe('');
  });

  test('uuid and below', () => {
    expect(systemRandom.uuid()).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(new Set(Array.from({ length: 200 }, () => systemRandom.below(3)))).toEqual(new Set([0, 1, 2]));
  });
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s is heard until one stops listening', (signal) => {
  const heard: string[] = [];
  const before = process.listenerCount(signal);
  const quiet = systemProcesses.onStop((name: string) => heard.push(name));
  process.emit(signal, signal);
  quiet();
  expect(heard).toEqual([signal]);
  expect(process.listenerCount(signal)).toBe(before);
});

test('the runtime gives the lazy parts', async () => {
  const runtime = nodeRuntime();
  const [prompter, transport, database] = await Promise.all([
    runtime.prompter(),
    runtime.transport({}),
    runtime.database(),
  ]);
  expect(prompter.ask).toBeTypeOf('function');
  await transport.close();
  const memory = database.open(':memory:');
  expect(memory.get('SELECT 1 AS one')).toMatchObject({ one: 1 });
  memory.close();
});
