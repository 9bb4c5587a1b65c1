import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { homeWithProfile, noSuchOrder, saleFlags, soldStatus, statusReply, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply } from '../support/runtime.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const neverSent: Delivery = { kind: 'never-sent', reason: 'connection refused' };
const processing = reply(200, statusReply('processing', { 'transaction-type': 'sale' }));

const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const send = (home: string, replies: readonly Delivery[]) => run(home, saleFlags, replies);
const accept = (home: string, replies: readonly Delivery[] = [], more: readonly string[] = []) =>
  run(home, ['journal', '--accept-restored', '--json', ...more], replies);

const stateOf = (home: string) => join(home, 'state');
const markOf = (home: string) => join(home, 'config', 'journal-marks.json');

function removeJournal(home: string): void {
  for (const name of readdirSync(stateOf(home))) if (name.startsWith('requests.db')) rmSync(join(stateOf(home), name));
}

/** Takes a copy of folders of a home; gives how to bring it back. */
function backup(home: string, ...names: readonly string[]): () => void {
  const saved = mkdtempSync(join(tmpdir(), 'paycli-backup-'));
  onTestFinished(() => rmSync(saved, { recursive: true, force: true }));
  for (const name of names) cpSync(join(home, name), join(saved, name), { recursive: true });
  return () => {
    for (const name of names) {
      rmSync(join(home, name), { recursive: true });
      cpSync(join(saved, name), join(home, name), { recursive: true });
    }
  };
}

function expectRefused(ran: Ran): void {
  expect([ran.exit, ran.requests], ran.err).toEqual([13, []]);
  expect(ran.err).toContain('paycli journal --accept-restored');
}

async function homeWithSale(): Promise<string> {
  const home = homeWithProfile();
  expect((await send(home, [reply(200, taken)])).exit).toBe(0);
  return home;
}

async function statesIn(home: string): Promise<readonly string[]> {
  const { entries } = JSON.parse((await run(home, ['journal', '--json'])).out);
  return entries.map(({ state }: { state: string }) => state);
}

describe('a journal that was there and is not', () => {
  const ways: readonly (readonly [what: string, spoil: (home: string) => void])[] = [
    ['removed with its whole folder', (home) => rmSync(stateOf(home), { recursive: true })],
    [
      'in a folder that a link to an empty one replaced',
      (home) => {
        renameSync(stateOf(home), join(home, 'old'));
        mkdirSync(join(home, 'empty'), { mode: 0o700 });
        symlinkSync(join(home, 'empty'), stateOf(home));
      },
    ],
  ];

  test.each(ways)('%s: the same command sends nothing, exit 13, until it was accepted', async (_, spoil) => {
    const home = await homeWithSale();
    spoil(home);
    // However often: what the first refusal leaves behind is no new journal either.
    for (let times = 0; times < 2; times += 1) expectRefused(await send(home, []));
    const doctor = await run(home, ['doctor', '--json']);
    const { checks } = JSON.parse(doctor.out);
    expect(doctor.exit).toBe(11);
    expect(checks).toContainEqual(expect.objectContaining({ check: 'journal', result: 'fail' }));
    // An empty journal knows no order, and that is said.
    const accepted = await accept(home);
    expect([accepted.exit, accepted.requests], accepted.err).toEqual([0, []]);
    expect(JSON.parse(accepted.out)).toMatchObject({
      ok: true,
      asked: 0,
      warnings: [expect.stringContaining('are missing from it')],
    });
    expect((await run(home, ['doctor'])).exit).toBe(0);
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
  });

  test('what is read says that orders may be missing', async () => {
    const home = await homeWithSale();
    removeJournal(home);
    const approved = reply(200, statusReply('approved', { amount: '10.42', currency: 'USD' }));
    const listed = await run(home, ['orders']);
    expect([listed.exit, listed.err]).toEqual([0, expect.stringContaining('--accept-restored')]);
    expectRefused(await run(home, ['order', '902B4FF5', '--timeline']));
    const asked = await run(home, ['status', '902B4FF5'], [approved]);
    expect([asked.exit, asked.err]).toEqual([0, expect.stringContaining('--accept-restored')]);
  });
});

describe('an older copy of the state folder', () => {
  test('is refused, and its open entries are asked about before anything else', async () => {
    const home = homeWithProfile();
    expect((await send(home, [neverSent, neverSent, neverSent])).exit).toBe(6);
    const restore = backup(home, 'state');
    // Sent after the copy was made: the copy says that it was not sent.
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
    restore();
    expectRefused(await send(home, []));
    // While the gateway cannot be reached, or says nothing of the order, nothing is accepted.
    const busy = reply(400, { type: 'error', 'error-message': 'Internal error, try again later', 'error-code': '1' });
    for (const replies of [[lost, lost, lost], [busy]]) {
      const failed = await accept(home, replies);
      expect([failed.exit, failed.err], failed.err).toEqual([13, expect.stringContaining('could not be queried')]);
    }
    expectRefused(await send(home, []));
    const accepted = await accept(home, [reply(200, soldStatus)]);
    expect([accepted.exit, accepted.requests.length], accepted.err).toEqual([0, 1]);
    expect(await statesIn(home)).toEqual(['done']);
    const again = await send(home, []);
    expect([again.exit, again.requests]).toEqual([0, []]);
  });

  test('a capture that it takes for unsent is asked about, and not made twice', async () => {
    const home = homeWithProfile();
    const capture = ['capture', '12345', '--client-order-id', '902B4FF5', '--amount', '5.00', '--currency', 'USD'];
    expect((await run(home, capture, [neverSent, neverSent, neverSent])).exit).toBe(6);
    const restore = backup(home, 'state');
    expect((await run(home, capture, [reply(200, taken)])).exit).toBe(0);
    restore();
    const amounts = { amount: '5.00', currency: 'USD', 'initial-amount': '10.42' };
    const captured = reply(200, statusReply('approved', { 'transaction-type': 'capture', ...amounts }));
    expect((await accept(home, [captured])).exit).toBe(0);
    const again = await run(home, capture, [captured]);
    expect([again.exit, again.requests.map(({ url }) => url.includes('/status/'))], again.err).toEqual([0, [true]]);
  });

  test('what nobody can be asked about is unknown from there on, where a person takes that on', async () => {
    const home = homeWithProfile();
    expect((await send(home, [neverSent, neverSent, neverSent])).exit).toBe(6);
    const restore = backup(home, 'state');
    expect((await send(home, [reply(200, taken)])).exit).toBe(0);
    restore();
    const words = ['journal', '--accept-restored', '--evidence', 'the gateway is gone'];
    const stopped = await paycli(words, { home, signal: 'SIGINT' });
    expect([stopped.exit, stopped.requests]).toEqual([130, []]);
    expectRefused(await send(home, []));
    const accepted = await accept(home, [lost, lost, lost], ['--evidence', 'the gateway is gone']);
    expect(accepted.exit, accepted.err).toBe(0);
    expect(JSON.parse(accepted.out)).toMatchObject({ ok: true, asked: 0, unasked: 1 });
    expect(await statesIn(home)).toEqual(['unknown']);
    const again = await send(home, [noSuchOrder]);
    expect([again.exit, again.requests.every(({ url }) => url.includes('/status/'))]).toEqual([8, true]);
  });
});

describe('the mark', () => {
  const another = saleFlags.map((word) => (word === '902B4FF5' ? 'another' : word === '10.42' ? '5.00' : word));

  test.each([
    ['empty', ''],
    ['no JSON', 'x'],
  ])('that is %s: exit 13, and the journal can be accepted', async (_, text) => {
    const home = await homeWithSale();
    writeFileSync(markOf(home), text);
    expectRefused(await run(home, another));
    expect((await accept(home, [processing])).exit).toBe(0);
    expect((await send(home, [reply(200, soldStatus)])).exit).toBe(0);
  });
});

test('there is nothing to accept of a journal that lacks nothing, and nobody is asked', async () => {
  const home = homeWithProfile();
  expect((await send(home, [lost])).exit).toBe(8);
  const ran = await accept(home);
  expect([ran.exit, ran.requests], ran.err).toEqual([0, []]);
});
