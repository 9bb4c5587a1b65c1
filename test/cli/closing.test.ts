import { describe, expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { testSale } from '../support/test-sale.js';
import { homeWithProfile, saleFlags, taken } from './profiles.js';

/** A disk that is full once the journal is there: the mark of its newest event cannot be written. */
const failing = (usual: Runtime): Runtime => ({
  ...usual,
  files: {
    ...usual.files,
    writeText(path, ...rest) {
      if (path.endsWith('journal-marks.json')) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      return usual.files.writeText(path, ...rest);
    },
  },
});

/** Counts how often a journal is opened. */
function counting(): { readonly outside: (usual: Runtime) => Runtime; readonly opened: string[] } {
  const opened: string[] = [];
  const open: typeof sqlite.open = (path) => {
    if (path.endsWith('requests.db')) opened.push(path);
    return sqlite.open(path);
  };
  return { opened, outside: (usual) => ({ ...usual, database: async () => ({ ...sqlite, open }) }) };
}

const place = ['-p', 'sandbox'];

test('a return of everything that waits for its outcome opens the journal once', async () => {
  const home = homeWithProfile();
  const sold = await paycli([...testSale('--client-order-id', 'o-1', '--wait'), ...place], { home });
  expect(sold.exit, sold.err).toBe(0);
  const { opened, outside } = counting();
  const ran = await paycli(['return', 'o-1', ...place, '--all', '--wait'], { home, outside });
  expect([ran.exit, opened.length], ran.err).toEqual([0, 1]);
});

describe('a mark that cannot be written', () => {
  test('never hides that an outcome is unknown', async () => {
    const ran = await paycli([...saleFlags], {
      home: homeWithProfile(),
      network: [() => ({ kind: 'lost', reason: 'the connection was reset' })],
      outside: failing,
    });
    expect(ran.exit).toBe(8);
    expect(ran.err).toContain('error: the outcome is unknown');
    expect(ran.err).toMatch(/also: {2}.*journal-marks\.json could not be used: it cannot be written/);
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
});
