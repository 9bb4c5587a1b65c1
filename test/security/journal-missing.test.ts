import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery, Files } from '../../src/runtime/ports.js';
import { homeWithProfile, saleFlags, statusReply, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply } from '../support/runtime.js';

const noOrder = reply(400, {
  type: 'error',
  'serial-number': '9',
  'error-message': 'order not found',
  'error-code': '6',
});
const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const neverSent: Delivery = { kind: 'never-sent', reason: 'connection refused' };

const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const send = (home: string, replies: readonly Delivery[]) => run(home, saleFlags, replies);
const adopt = (home: string, replies: readonly Delivery[] = [], more: readonly string[] = []) =>
  run(home, ['journal', '--accept-restored', '--json', ...more], replies);

const journalFiles = ['journal.db', 'journal.db-wal', 'journal.db-shm'];
const stateOf = (home: string) => join(home, 'state');

function removeJournal(home: string): void {
  for (const name of readdirSync(stateOf(home))) if (name.startsWith('journal.db')) rmSync(join(stateOf(home), name));
}

function notePath(home: string): string {
  const [name] = readdirSync(join(home, 'config')).filter((each) => each.startsWith('journal-end-'));
  return join(home, 'config', name ?? expect.unreachable('no note of the end'));
}

/** Takes a copy of the state folder; gives how to bring it back. */
function backup(home: string): () => void {
  const saved = join(home, 'backup');
  mkdirSync(saved, { recursive: true });
  for (const name of readdirSync(stateOf(home)))
    if (statSync(join(stateOf(home), name)).isFile()) copyFileSync(join(stateOf(home), name), join(saved, name));
  return () => {
    rmSync(stateOf(home), { recursive: true });
    renameSync(saved, stateOf(home));
  };
}

function expectRefused(ran: Ran): void {
  expect([ran.exit, ran.requests], ran.err).toEqual([13, []]);
  expect(ran.err).toContain('paycli journal --accept-restored');
}

const stateOfEntry = async (home: string) => {
  const { entries } = JSON.parse((await run(home, ['journal', '--json'])).out);
  return entries.map(({ state }: { state: string }) => state);
};

describe('a journal that was there and is not', () => {
  const ways: readonly (readonly [what: string, spoil: (home: string) => void])[] = [
    ['removed', removeJournal],
    [
      'removed but for its folder',
      (home) => journalFiles.forEach((name) => void rmSync(join(stateOf(home), name), { force: true })),
    ],
    [
      'emptied',
      (home) => {
        removeJournal(home);
        writeFileSync(join(stateOf(home), 'journal.db'), '', { mode: 0o600 });
      },
    ],
    ['removed with its whole folder', (home) => rmSync(stateOf(home), { recursive: true })],
  ];

  test.each(ways)('%s: the same command sends nothing, exit 13, until it was adopted', async (_, spoil) => {
    const home = homeWithProfile();
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
    spoil(home);
    // However often: what the first refusal leaves behind is no new journal either.
    for (let times = 0; times < 3; times += 1) expectRefused(await send(home, []));
    const verified = await run(home, ['journal', '--verify']);
    expect([verified.exit, verified.out]).toEqual([11, expect.stringContaining('last 3 lines are missing')]);
    expect(verified.out).not.toContain('whole');
    expect((await run(home, ['journal'])).exit).toBe(13);
    const doctor = await run(home, ['doctor', '--json']);
    expect(doctor.out).toContain('3 lines are missing');
    // An empty journal knows no order, and that is said.
    const adopted = await adopt(home);
    expect([adopted.exit, adopted.requests], adopted.err).toEqual([0, []]);
    expect(JSON.parse(adopted.out)).toMatchObject({ ok: true, asked: 0 });
    expect(adopted.err).toMatch(/are missing from it/);
    expect((await run(home, ['journal', '--verify'])).exit).toBe(0);
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
  });

  test.each(ways)(
    '%s: what only the journal answers is exit 13, and the gateway answers with a warning',
    async (_, spoil) => {
      const home = homeWithProfile();
      expect((await send(home, [reply(200, taken)])).exit).toBe(0);
      spoil(home);
      const approved = reply(200, statusReply('approved', { amount: '10.42', currency: 'USD' }));
      // However often: what the first refusal leaves behind is no new journal either.
      for (let times = 0; times < 2; times += 1) {
        for (const line of ['orders', 'order 902B4FF5 --offline', 'order 902B4FF5 --timeline', 'batch show'])
          expectRefused(await run(home, line.split(' ')));
        for (const line of ['order 902B4FF5', 'status 902B4FF5']) {
          const asked = await run(home, line.split(' '), [approved]);
          expect([asked.exit, asked.err]).toEqual([0, expect.stringContaining('last 3 lines are missing')]);
        }
      }
      expect((await run(home, ['journal', '--accept-restored'])).exit).toBe(0);
      expect((await run(home, ['orders'])).exit).toBe(0);
    },
  );

  test('a bundle for support says that the journal is missing, and not that it has no entry', async () => {
    const home = homeWithProfile();
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
    expect((await run(home, ['sandbox', 'status'])).exit).toBe(0);
    removeJournal(home);
    const ran = await run(home, ['support', 'bundle', '902B4FF5', '--out', join(home, 'bundle.zip')]);
    expect(ran.err).toContain('last 3 lines are missing');
  });

  test('a first use is quiet, and so is every next one', async () => {
    const home = homeWithProfile();
    for (let times = 0; times < 2; times += 1) {
      const ran = await run(home, ['journal', '--verify']);
      expect([ran.exit, ran.err]).toEqual([0, '']);
    }
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
  });

  test('the note is for its owner alone, in the configuration folder, and none is left beside the journal', async () => {
    const home = homeWithProfile();
    await send(home, [reply(200, taken)]);
    expect(statSync(notePath(home)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(notePath(home), 'utf8'))).toMatchObject({ count: 3 });
    expect(existsSync(join(stateOf(home), 'journal.db.tail.json'))).toBe(false);
  });

  test('two state folders under one configuration have a note each', async () => {
    const home = homeWithProfile();
    const at = (state: string, replies: readonly Delivery[]) =>
      paycli(saleFlags, {
        home,
        network: replies.map((one) => () => one),
        env: { PAYCLI_STATE_DIR: join(home, state) },
      });
    expect((await at('one', [reply(200, taken)])).exit).toBe(0);
    expect((await at('two', [reply(200, taken)])).exit).toBe(0);
    rmSync(join(home, 'one'), { recursive: true });
    expectRefused(await at('one', []));
    expect((await at('two', [reply(200, statusReply('processing', { 'transaction-type': 'sale' }))])).exit).toBe(0);
  });

  test('a configuration folder that may not be written to: the note lies beside the journal, and doctor says so', async () => {
    const home = homeWithProfile();
    const readOnly = (argv: readonly string[], replies: readonly Delivery[]) =>
      paycli(argv, {
        home,
        network: replies.map((one) => () => one),
        outside: (usual) => {
          const writeText: Files['writeText'] = (path, ...rest) => {
            if (path.startsWith(join(home, 'config'))) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
            usual.files.writeText(path, ...rest);
          };
          return { ...usual, files: { ...usual.files, writeText } };
        },
      });
    expect((await readOnly(saleFlags, [reply(200, taken)])).exit).toBe(0);
    const beside = join(stateOf(home), 'journal.db.tail.json');
    expect(JSON.parse(readFileSync(beside, 'utf8'))).toMatchObject({ count: 3 });
    expect((await readOnly(['doctor'], [])).out).toContain('the configuration folder is not writable');
    expect((await send(home, [reply(200, statusReply('processing', { 'transaction-type': 'sale' }))])).exit).toBe(0);
  });

  test('a second configuration folder takes the end of a journal that it never saw as it is, and notes it from then on', async () => {
    const home = homeWithProfile();
    const other = join(home, 'other');
    cpSync(join(home, 'config'), other, { recursive: true });
    const by = (config: string, replies: readonly Delivery[]) =>
      paycli(saleFlags, { home, network: replies.map((one) => () => one), env: { PAYCLI_CONFIG_DIR: config } });
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
    const processing = reply(200, statusReply('processing', { 'transaction-type': 'sale' }));
    expect((await by(other, [processing])).exit).toBe(0);
    expect((await send(home, [processing])).exit).toBe(0);
    removeJournal(home);
    expectRefused(await by(other, []));
    expectRefused(await send(home, []));
  });
});

describe('an older copy of the state folder', () => {
  test('is refused, and its open entries are asked about before anything else', async () => {
    const home = homeWithProfile();
    expect((await send(home, [neverSent, neverSent, neverSent])).exit).toBe(6);
    const restore = backup(home);
    // Sent after the copy was made: the copy says that it was not sent.
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
    restore();
    expectRefused(await send(home, []));
    // While the gateway cannot be reached nothing is adopted.
    const failed = await adopt(home, [lost, lost, lost]);
    expect([failed.exit, failed.err], failed.err).toEqual([13, expect.stringContaining('could not be queried')]);
    expectRefused(await send(home, []));
    const adopted = await adopt(home, [reply(200, statusReply('approved', { 'transaction-type': 'sale' }))]);
    expect([adopted.exit, adopted.requests.length], adopted.err).toEqual([0, 1]);
    expect(await stateOfEntry(home)).toEqual(['done']);
    const again = await send(home, []);
    expect([again.exit, again.requests]).toEqual([0, []]);
    expect((await run(home, ['journal', '--verify'])).exit).toBe(0);
  });

  test('what the gateway does not have may be sent', async () => {
    const home = homeWithProfile();
    expect((await send(home, [neverSent, neverSent, neverSent])).exit).toBe(6);
    const restore = backup(home);
    expect((await send(home, [neverSent, neverSent, neverSent])).exit).toBe(6);
    restore();
    expect((await adopt(home, [noOrder])).exit).toBe(0);
    expect(await stateOfEntry(home)).toEqual(['not_sent']);
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
  });

  test('what nobody can be asked about is unknown from there on, where a person takes that on', async () => {
    const home = homeWithProfile();
    expect((await send(home, [neverSent, neverSent, neverSent])).exit).toBe(6);
    const restore = backup(home);
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
    restore();
    const words = ['journal', '--accept-restored', '--evidence', 'the gateway is gone'];
    const stopped = await paycli(words, { home, signal: 'SIGINT' });
    expect([stopped.exit, stopped.requests]).toEqual([130, []]);
    expectRefused(await send(home, []));
    const adopted = await adopt(home, [lost, lost, lost], ['--evidence', 'the gateway is gone']);
    expect(adopted.exit, adopted.err).toBe(0);
    expect(JSON.parse(adopted.out)).toMatchObject({ ok: true, asked: 0, unasked: 1 });
    expect(await stateOfEntry(home)).toEqual(['unknown']);
    const again = await send(home, [noOrder]);
    expect([again.exit, again.requests.every(({ url }) => url.includes('/status/'))]).toEqual([8, true]);
  });
});

describe('a note of the end that is', () => {
  test.each([
    ['missing', (path: string) => rmSync(path)],
    ['empty', (path: string) => writeFileSync(path, '')],
    ['of another journal', (path: string) => writeFileSync(path, JSON.stringify({ count: 2, hash: '0'.repeat(64) }))],
  ])('%s: exit 13, and the journal can be adopted', async (_, spoil) => {
    const home = homeWithProfile();
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
    spoil(notePath(home));
    expectRefused(await send(home, []));
    expect((await adopt(home, [reply(200, statusReply('processing', { 'transaction-type': 'sale' }))])).exit).toBe(0);
    expect((await send(home, [reply(200, statusReply('approved', { 'transaction-type': 'sale' }))])).exit).toBe(0);
  });
});

test('there is nothing to adopt of a journal that lacks nothing, and nobody is asked', async () => {
  const home = homeWithProfile();
  expect((await send(home, [lost])).exit).toBe(8);
  const ran = await adopt(home);
  expect([ran.exit, ran.requests], ran.err).toEqual([0, []]);
});
