import { describe, expect, test } from 'vitest';
import { systemRandom } from '../../src/runtime/machine.js';
import { systemProcesses } from '../../src/runtime/processes.js';

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
