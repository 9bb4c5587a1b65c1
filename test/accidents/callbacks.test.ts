import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/machine.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { queryOf, saleFields } from '../callbacks/support.js';
import { homeWithProfile } from '../cli/profiles.js';
import { paycli } from '../support/runtime.js';

/** Each is sent to a listener, one after the other: what it answered, and its events. */
async function listening(home: string, send: readonly ((url: string) => Promise<Response>)[]) {
  const ready = join(home, 'ready');
  const argv = ['callback', 'listen', '--ready-file', ready, '--exit-after', String(send.length), '--json'];
  const outside = (usual: Runtime): Runtime => ({ ...usual, clock: systemClock });
  const running = paycli(argv, { home, outside });
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

describe('a callback that is not all UTF-8', () => {
  const query = `${queryOf(saleFields())}&comment=Caf%E9+bar&descriptor=100%`;
  const comment = { name: 'comment', value: 'Caf\uFFFD bar' };

  test('is taken: the checksum covers status and ids alone', async () => {
    const home = homeWithProfile();
    const ran = await listening(home, [
      get(query),
      post(Buffer.from(`${queryOf(saleFields({ type: 'reversal' }))}&comment=Caf\xe9+bar`, 'latin1'), formType),
      get(query.replace(/control=./, 'control=')),
    ]);
    expect(ran.answers.map(([status]) => status)).toEqual([200, 200, 403]);
    expect(ran.callbacks).toMatchObject([{ verified: 'fits' }, { verified: 'fits' }, { verified: 'wrong' }]);
    for (const { fields } of ran.callbacks) expect(fields).toContainEqual(comment);
    const shown = JSON.parse((await paycli(['callback', 'list', '1', '--json'], { home })).out);
    expect(shown.fields).toContainEqual({ name: 'descriptor', value: '100%' });
  });
});

const formType = 'application/x-www-form-urlencoded';
