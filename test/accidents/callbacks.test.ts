import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { type Fields, queryOf, saleFields } from '../callbacks/support.js';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { openHandler } from '../sandbox/handler.js';
import { paycli, reply } from '../support/runtime.js';

/** A home whose journal has one order: 12345 (902B4FF5). */
async function sold(): Promise<string> {
  const home = homeWithProfile();
  await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
  return home;
}

// 12345 902B4FF5 and 123459 02B4FF5 are one text, so they have one checksum.
const shifted = saleFields({ orderid: '123459', client_orderid: '02B4FF5' });

/** Each is sent to a listener, one after the other: what it answered, and its events. */
async function listening(
  home: string,
  flags: readonly string[],
  send: readonly ((url: string) => Promise<Response>)[],
) {
  const ready = join(home, 'ready');
  const argv = ['callback', 'listen', '--ready-file', ready, '--exit-after', String(send.length), '--no-ask', '--json'];
  const outside = (usual: Runtime): Runtime => ({ ...usual, clock: systemClock });
  const running = paycli([...argv, ...flags], { home, outside });
  while (!existsSync(ready) || readFileSync(ready, 'utf8') === '') await systemClock.sleep(5);
  const url = readFileSync(ready, 'utf8').trim();
  const answers: [number, string][] = [];
  for (const each of send) {
    const answer = await each(url);
    answers.push([answer.status, await answer.text()]);
  }
  const { out } = await running;
  const events: Record<string, unknown>[] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { answers, callbacks: events.filter(({ event }) => event === 'callback'), summary: events.at(-1) };
}

const get = (query: string) => (url: string) => fetch(`${url}?${query}`);
const post = (body: string | Uint8Array<ArrayBuffer>, type: string) => (url: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body });

describe('a right callback of an order that the journal does not know', () => {
  const verify = async (home: string, fields: Fields) => {
    const ran = await paycli(['callback', 'verify', queryOf(fields), '--json'], { home });
    return { exit: ran.exit, ...JSON.parse(ran.out) };
  };

  test('where the ids run together are those of another order of the journal, a note names it', async () => {
    expect(shifted['control']).toBe(saleFields()['control']);
    const right = { exit: 0, ok: true, verified: 'fits', note: null };
    expect(await verify(await sold(), saleFields({ orderid: '777', client_orderid: 'other' }))).toMatchObject(right);
    expect(await verify(await sold(), shifted)).toMatchObject({
      ...{ exit: 0, ok: true, verified: 'fits' },
      note: expect.stringMatching(/12345\b.*902B4FF5/),
    });
  });

  test('callback listen takes and forwards it, and says so of another order', async () => {
    const handler = await openHandler('/hook');
    const elsewhere = saleFields({ orderid: '777', client_orderid: 'other' });
    const ran = await listening(
      await sold(),
      ['--forward', handler.url],
      [get(queryOf(elsewhere)), get(queryOf(shifted))],
    );
    expect(ran.answers.map(([status]) => status)).toEqual([200, 200]);
    expect(ran.callbacks).toMatchObject([
      { verified: 'fits', conflicts: [], forwarded: { status: 200 } },
      { verified: 'fits', conflicts: [expect.stringMatching(/12345\b.*902B4FF5/)], forwarded: { status: 200 } },
    ]);
    expect(ran.summary).toMatchObject({ event: 'summary', fits: 2, wrong: 0, forwarded: 2 });
  });
});

describe('a callback that is not all UTF-8', () => {
  const query = `${queryOf(saleFields())}&comment=Caf%E9+bar&descriptor=100%`;
  const comment = { name: 'comment', value: 'Caf\uFFFD bar' };

  test('is taken: the checksum covers status and ids alone', async () => {
    const home = await sold();
    const ran = await listening(
      home,
      [],
      [
        get(query),
        post(Buffer.from(`${queryOf(saleFields({ type: 'reversal' }))}&comment=Caf\xe9+bar`, 'latin1'), formType),
        get(query.replace(/control=./, 'control=')),
      ],
    );
    expect(ran.answers.map(([status]) => status)).toEqual([200, 200, 403]);
    expect(ran.callbacks).toMatchObject([{ verified: 'fits' }, { verified: 'fits' }, { verified: 'wrong' }]);
    for (const { fields } of ran.callbacks) expect(fields).toContainEqual(comment);
    const shown = JSON.parse((await paycli(['callback', 'list', '1', '--json'], { home })).out);
    expect(shown.fields).toContainEqual({ name: 'descriptor', value: '100%' });
  });
});

const formType = 'application/x-www-form-urlencoded';

test('JSON is refused as JSON, whatever it says it is', async () => {
  const json = JSON.stringify(saleFields());
  const home = homeWithProfile();
  const ran = await listening(home, [], [post(json, 'application/json; charset=utf-8'), post(json, formType)]);
  for (const [status, text] of ran.answers) expect([status, text]).toEqual([400, expect.stringMatching(/JSON/)]);
  for (const callback of ran.callbacks) expect(callback['why']).toMatch(/JSON/);
  const verified = await paycli(['callback', 'verify', json, '--json'], { home });
  expect([verified.exit, JSON.parse(verified.out).why]).toEqual([11, expect.stringMatching(/JSON/)]);
});
