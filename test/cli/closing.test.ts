import { describe, expect, test } from 'vitest';
import { fail } from '../../src/errors/index.js';
import { sqlite } from '../../src/runtime/database.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, taken } from './profiles.js';

/** A journal that fails when it is closed. */
const failing = (usual: Runtime): Runtime => ({
  ...usual,
  database: async () => ({
    ...sqlite,
    open(path) {
      const database = sqlite.open(path);
      return {
        ...database,
        close() {
          database.close();
          throw fail('STORAGE', { what: 'journal.db', why: 'the disk reports an error', how: 'check the disk' });
        },
      };
    },
  }),
});

describe('a journal that cannot be closed', () => {
  test.each<readonly [argv: readonly string[], exit: number, says: string]>([
    [['resolve', 'nobody'], 2, 'the journal has no request on order nobody'],
    [['journal', 'nobody'], 2, 'nobody'],
  ])('never hides what went wrong before: %j', async (argv, exit, says) => {
    const home = homeWithProfile();
    expect((await paycli(saleFlags, { home, network: [() => reply(200, taken)] })).exit).toBe(0);
    const ran = await paycli(argv, { home, outside: failing });
    expect(ran.exit, ran.err).toBe(exit);
    expect(ran.err).toContain(says);
    expect(ran.err).toContain('also:  journal.db could not be used: the disk reports an error; check the disk');
    const json = await paycli([...argv, '--json'], { home, outside: failing });
    expect(JSON.parse(json.err.split('\n').find((line) => line.startsWith('{')) ?? '')).toMatchObject({
      exit,
      also: { code: 'STORAGE', next: 'check the disk' },
    });
  });

  test('never hides that an outcome is unknown', async () => {
    const ran = await paycli([...saleFlags], {
      home: homeWithProfile(),
      network: [() => ({ kind: 'lost', reason: 'the connection was reset' })],
      outside: failing,
    });
    expect(ran.exit).toBe(8);
    expect(ran.err).toContain('error: the outcome is unknown');
    expect(ran.err).toContain('also:  journal.db could not be used: the disk reports an error');
  });

  test('does not change what came of a request, and is told beside it', async () => {
    const ran = await paycli([...saleFlags, '--json'], {
      home: homeWithProfile(),
      network: [() => reply(200, taken)],
      outside: failing,
    });
    expect(ran.exit).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ ok: true, exit: 0 });
    expect(JSON.parse(ran.err.trim().split('\n').at(-1) ?? '')).toMatchObject({ code: 'STORAGE', exit: 0 });
  });

  test('is told where nothing else went wrong', async () => {
    const ran = await paycli(['resolve', '--all'], { home: homeWithProfile(), outside: failing });
    expect(ran.exit).toBe(13);
  });
});
