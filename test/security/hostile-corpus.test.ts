import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { openTransport } from '../../src/runtime/transport.js';
import { parseReply } from '../../src/wire/reply.js';
import { homeWithProfile, saleFlags } from '../cli/profiles.js';
import { openFixture } from '../sandbox/support.js';
import { walkForm } from '../sandbox/walk.js';
import { paycli, type Ran, temporaryHome } from '../support/runtime.js';
import { steering } from '../support/steering.js';
import * as corpus from './corpus/inputs.js';

const prototype = () => [Object, Array, String, Function, Map].map((each) => Reflect.ownKeys(each.prototype).length);
const untouched = prototype();

/** No crash, no line that is not ours, nothing that steers a terminal. */
function expectCalm(ran: Ran, what: string): void {
  expect([1, 70], `${what}\n${ran.err}`).not.toContain(ran.exit);
  expect(steering(ran.out.replaceAll('\r\n', '\n')), what).toEqual([]);
  expect(steering(ran.err.replaceAll('\r\u001b[2K', '')), what).toEqual([]);
  expect(
    `${ran.out}\n${ran.err}`
      .split('\n')
      .filter((line) => /^(?:error: spoofed|next: {2}run|x-evil|set-cookie)/i.test(line)),
    what,
  ).toEqual([]);
}

async function each<T extends string | Uint8Array>(
  group: readonly T[],
  work: (input: T, what: string) => unknown,
): Promise<void> {
  for (const input of group)
    await work(input, JSON.stringify(typeof input === 'string' ? input.slice(0, 80) : [...input]));
  expect(prototype(), 'no prototype was changed').toEqual(untouched);
}

test(`no typed text begins a header, a field or a line: ${corpus.injection.length} texts`, async () => {
  const home = homeWithProfile();
  const argv = (text: string) => saleFlags.map((word) => (word === '902B4FF5' ? text : word));
  await each(corpus.injection, async (text, what) => {
    const ran = await paycli(argv(text), { home, tty: true });
    expect([ran.exit, ran.requests], what).toEqual([2, []]);
    expectCalm(ran, what);
  });
});

test(`no markup in a page of the sandbox is markup: ${corpus.markup.length} texts`, async () => {
  const fixture = openFixture();
  await each(corpus.markup, (text, what) => {
    const id = text.replace(/\n/g, ' ');
    const { walk } = walkForm(fixture, 'sale', { id });
    expect(walk.has(id), `${what}: it is shown as text`).toBe(true);
    const tags = walk.page.body.match(/<[^>]+>/g) ?? [];
    expect(
      tags.filter((tag) => /evil|\son\w+\s*=|<(?:svg|img|iframe|math|base|x\b)|srcdoc/i.test(tag)),
      what,
    ).toEqual([]);
  });
});

test(`no name leads out of a folder: ${corpus.paths.length} names`, async () => {
  const home = temporaryHome();
  await each(corpus.paths, async (name, what) => {
    const ran = await paycli(['batch', 'show', '--', name], { home, tty: true });
    expect(ran.exit, what).not.toBe(0);
    expectCalm(ran, what);
  });
  expect(readdirSync(home).filter((name) => !['config', 'state'].includes(name))).toEqual([]);
});

test(`a reply is fields of text, or none: ${corpus.json.length} bodies`, async () => {
  await each(corpus.json, (body, what) => {
    const read = parseReply(Buffer.from(body), 'application/vnd.pay+json', 'json');
    if (!read.ok) return;
    expect(
      [...read.fields].every(([name, text]) => typeof name === 'string' && typeof text === 'string'),
      what,
    ).toBe(true);
    expect(Object.hasOwn(Object.prototype, 'polluted'), what).toBe(false);
  });
});

test(`no answer brings a second one along: ${corpus.replies.length} answers that can be read in two ways`, async () => {
  const transport = openTransport({}, {});
  let next = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(next, 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
  let read = 0;
  await each(corpus.replies, async (text, what) => {
    next = text;
    const delivery = await transport.post({ url, headers: {}, body: 'a=b' }, 2000);
    expect(['reply', 'lost'], what).toContain(delivery.kind);
    if (delivery.kind !== 'reply') return;
    read += 1;
    // Without a length everything up to the end is one body, and no reply.
    const fields = parseReply(delivery.reply.body, 'application/vnd.pay+json', 'json');
    expect(fields.ok ? [...fields.fields] : [], what).toEqual([]);
    expect(Buffer.from(delivery.reply.body).toString(), what).not.toBe('SMUGGLED');
  });
  await transport.close();
  server.close();
  expect(read, 'most of them are refused as a whole').toBeLessThan(corpus.replies.length / 2);
});
