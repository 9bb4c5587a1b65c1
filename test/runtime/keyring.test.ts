import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openKeyring } from '../../src/runtime/keyring.js';

const secret = 'AF4B9B1A-CANARY-KEY';

/** A D-Bus that takes connections and never says a word; its address, and what becomes of the first connection. */
async function silentBus(onConnection: (socket: Socket) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-bus-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = createServer((socket) => onConnection(socket.on('error', () => undefined).resume()));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => void server.listen(join(folder, 'bus'), resolve));
  return `unix:path=${join(folder, 'bus')}`;
}

function environment(bus: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: '/nonexistent', DBUS_SESSION_BUS_ADDRESS: bus };
}

test('a store that never answers is given up on, and its process is gone', async () => {
  const stop = new AbortController();
  let isGone: Promise<unknown> = Promise.reject(new Error('nobody asked the store'));
  isGone.catch(() => undefined);
  const bus = await silentBus((socket) => {
    isGone = once(socket, 'close');
    stop.abort();
  });
  await expect(openKeyring(environment(bus))(stop.signal, 'read', 'shop/control-key')).rejects.toThrow(
    'exited with 137',
  );
  await isGone;
});

test('without a key store every question says why', async () => {
  const keyring = openKeyring(environment('unix:path=/nonexistent/bus'));
  const { signal } = new AbortController();
  for (const ask of [
    () => keyring(signal, 'read', 'shop/control-key'),
    () => keyring(signal, 'write', 'shop/control-key', secret),
    () => keyring(signal, 'remove', 'shop/control-key'),
  ]) {
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toMatch(/D-?Bus|secret service/i);
    expect(String(error)).not.toContain('CANARY');
  }
});
