import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Handler, openHandler } from '../sandbox/handler.js';
import { bodyOf, card, type Fields, payer, plainHeaders, sha1 } from '../sandbox/support.js';
import { eventually, Home } from './home.js';

// So many kills at least in a quick run; KILLS=100 for a long one.
const kills = Number(process.env['KILLS'] ?? 1);
const senders = 8;

interface Target {
  readonly url: string;
  readonly key: string;
  /** Where callbacks go. */
  readonly hook: string;
}

/** A signed sale by hand, told about at an address; undefined when no whole reply came. */
function sale({ url, key, hook }: Target, id: string): Promise<string | undefined> {
  const control = sha1(`4001${id}1042${payer['email']}${key}`);
  const money = { client_orderid: id, amount: '10.42', currency: 'USD' };
  const pairs = { ...money, ...card(), ...payer, redirect_url: 'https://shop.example/r', server_callback_url: hook };
  return post(`${url}/api/v2/sale/4001`, { ...pairs, control });
}

async function post(url: string, pairs: Fields): Promise<string | undefined> {
  try {
    const reply = await fetch(url, { method: 'POST', headers: plainHeaders, body: bodyOf(pairs) });
    return reply.status === 200 ? await reply.text() : undefined;
  } catch {
    return undefined;
  }
}

async function serve(home: Home) {
  const ready = join(home.path, 'ready');
  rmSync(ready, { force: true });
  const server = await home.start(['sandbox', 'start', '--port', '0', '--settle-ms', '0', '--ready-file', ready]);
  const url = await eventually('the sandbox is ready', () =>
    existsSync(ready) ? readFileSync(ready, 'utf8').trim() : undefined,
  );
  return { server, url };
}

/** The order a status reply names, provided that it is approved for the whole amount. */
async function approvedOrder({ url, key }: Target, id: string): Promise<unknown> {
  const control = sha1(`sandbox${id}${key}`);
  const text = await post(`${url}/api/v2/status/4001`, { login: 'sandbox', client_orderid: id, control });
  const reply = JSON.parse(text ?? '{}');
  return reply.status === 'approved' && reply.amount === '10.42' ? reply['paynet-order-id'] : reply;
}

/** Sends as fast as it can until told to stop; notes every order whose sale was accepted. */
async function load(target: Target, round: number, accepted: Map<string, string>, until: () => boolean): Promise<void> {
  const send = async (sender: number) => {
    for (let count = 0; !until(); count += 1) {
      const id = `k${round}-${sender}-${count}`;
      const text = await sale(target, id);
      if (text !== undefined) accepted.set(id, JSON.parse(text)['paynet-order-id']);
    }
  };
  await Promise.all(Array.from({ length: senders }, (_, sender) => send(sender)));
}

/** The fields of the callbacks by client order id, once all the given ones were told. */
async function calledBack({ calls }: Handler, ids: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, Fields>> {
  const told = new Map<string, Fields>();
  let read = 0;
  const areAll = () => {
    for (const { fields } of calls.slice(read))
      told.set(Object.fromEntries(fields)['client_orderid'] ?? '', Object.fromEntries(fields));
    read = calls.length;
    return [...ids.keys()].every((id) => told.has(id)) || undefined;
  };
  await eventually('a callback for every accepted sale', areAll, 60_000 + ids.size * 20);
  return told;
}

test(`no accepted sale and no callback is lost in ${kills} kills or more under load`, {
  timeout: kills * 20_000 + 60_000,
}, async () => {
  const home = new Home();
  const handler = await openHandler();
  const key: string = JSON.parse((await home.call(['sandbox', 'status', '--json'])).out).merchants[0].controlKey;
  const accepted = new Map<string, string>();
  try {
    // A slow machine accepts few sales before a kill: it gets more rounds, each longer, until there is something to lose.
    for (let round = 0; round < kills || accepted.size <= kills; round += 1) {
      const { server, url } = await serve(home);
      let isOver = false;
      const loading = load({ url, key, hook: handler.url }, round, accepted, () => isOver);
      // Spread over everything a request goes through; the first kills come early on purpose.
      await pause(20 + Math.random() * (round < 3 ? 60 : 500) + Math.max(0, round - kills) * 500);
      server.signal('SIGKILL');
      await server.done;
      isOver = true;
      await loading;
    }
    const { server, url } = await serve(home);
    const target = { url, key, hook: handler.url };
    for (const [id, order] of accepted) expect([id, await approvedOrder(target, id)]).toEqual([id, order]);
    const told = await calledBack(handler, accepted);
    for (const [id, fields] of told) {
      // Also for a sale whose reply was cut off: it was made, or nobody may be told about it.
      const order = accepted.get(id) ?? (await approvedOrder(target, id));
      const control = sha1(`approved${String(order)}${id}${key}`);
      expect([id, fields]).toMatchObject([id, { status: 'approved', orderid: order, amount: '10.42', control }]);
    }
    server.signal('SIGTERM');
    expect((await server.done).exit).toBe(0);
  } finally {
    home.remove();
  }
});
