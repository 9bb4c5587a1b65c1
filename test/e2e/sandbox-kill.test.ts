import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually, Home } from './home.js';

// Ten kills in a quick run; KILLS=100 for a long one.
const kills = Number(process.env['KILLS'] ?? 10);
const senders = 8;
const headers = { accept: 'application/vnd.pay+json', 'content-type': 'application/x-www-form-urlencoded' };
const email = 'jane@example.com';

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

/** A signed sale by hand; undefined when no whole reply came. */
async function sale(url: string, key: string, id: string): Promise<string | undefined> {
  const fields = {
    ...{ client_orderid: id, amount: '10.42', currency: 'USD', credit_card_number: '4444333322221111', card_printed_name: 'JANE DOE' },
    ...{ expire_month: '12', expire_year: '2035', cvv2: '123', order_desc: 'Order', email, phone: '+4930123456', address1: 'Street 1' },
    ...{ city: 'Berlin', zip_code: '10115', country: 'DE', ipaddress: '192.0.2.1', redirect_url: 'https://shop.example/r' },
    control: sha1(`4001${id}1042${email}${key}`),
  };
  return post(`${url}/api/v2/sale/4001`, fields);
}

async function post(url: string, fields: Readonly<Record<string, string>>): Promise<string | undefined> {
  try {
    const reply = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(fields).toString().replaceAll('+', '%20') });
    return reply.status === 200 ? await reply.text() : undefined;
  } catch {
    return undefined;
  }
}

async function serve(home: Home) {
  const ready = join(home.path, 'ready');
  rmSync(ready, { force: true });
  const server = await home.start(['sandbox', 'start', '--port', '0', '--settle-ms', '0', '--ready-file', ready]);
  const url = await eventually('the sandbox is ready', () => (existsSync(ready) ? readFileSync(ready, 'utf8').trim() : undefined));
  return { server, url };
}

/** Sends as fast as it can until told to stop; notes every order whose sale was accepted. */
async function load(url: string, key: string, round: number, accepted: Map<string, string>, until: () => boolean): Promise<void> {
  const send = async (sender: number) => {
    for (let count = 0; !until(); count += 1) {
      const id = `k${round}-${sender}-${count}`;
      const text = await sale(url, key, id);
      if (text !== undefined) accepted.set(id, JSON.parse(text)['paynet-order-id']);
    }
  };
  await Promise.all(Array.from({ length: senders }, (_, sender) => send(sender)));
}

test(`no accepted sale is lost in ${kills} kills under load`, { timeout: kills * 20_000 + 60_000 }, async () => {
  const home = new Home();
  const key: string = JSON.parse((await home.run(['sandbox', 'status', '--json'])).out).merchants[0].controlKey;
  const accepted = new Map<string, string>();
  try {
    for (let round = 0; round < kills; round += 1) {
      const { server, url } = await serve(home);
      let isOver = false;
      const loading = load(url, key, round, accepted, () => isOver);
      // Spread over everything a request goes through; the first kills come early on purpose.
      await pause(20 + Math.random() * (round < 3 ? 60 : 500));
      server.signal('SIGKILL');
      await server.done;
      isOver = true;
      await loading;
    }
    const { server, url } = await serve(home);
    expect(accepted.size).toBeGreaterThan(kills);
    for (const [id, order] of accepted) {
      const text = await post(`${url}/api/v2/status/4001`, { login: 'sandbox', client_orderid: id, control: sha1(`sandbox${id}${key}`) });
      expect([id, JSON.parse(text ?? '{}')]).toMatchObject([id, { status: 'approved', 'paynet-order-id': order, amount: '10.42' }]);
    }
    server.signal('SIGTERM');
    expect((await server.done).exit).toBe(0);
  } finally {
    home.remove();
  }
});
