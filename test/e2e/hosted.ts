import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { type Browser, chromium } from 'playwright-core';
import { sqlite } from '../../src/runtime/database.js';
import { systemClock, systemRandom } from '../../src/runtime/machine.js';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { listen, type RunningServer } from '../../src/sandbox/http.js';
import { openSandboxState } from '../../src/sandbox/state.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { bodyOf, type Fields, plainHeaders } from '../sandbox/support.js';
import { pathOf } from '../support/programs.js';

/** The browser of this machine. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = pathOf('chromium');
  if (executablePath === undefined) throw new Error('no chromium: this test lacks the tag chromium');
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run'];
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath, args: [...args, ...quiet] });
}

/** A sandbox on a free port, and a shop that browsers come back to. */
export interface Shop {
  readonly key: string;
  /** Where the browser comes back to. */
  readonly back: string;
  /** What browsers posted there so far. */
  readonly returns: readonly Fields[];
  /** Sends a request as a shop's server would. */
  post(path: string, pairs: Fields): Promise<Fields>;
  newId(): string;
  close(): Promise<void>;
}

export async function openShop(): Promise<Shop> {
  const database = sqlite.open(':memory:');
  const sandboxState = openSandboxState({ database, clock: systemClock, random: systemRandom });
  const gateway = await listen(
    (pagesBase) => createSandbox(sandboxState, { assume: assumeDefaults, pagesBase, settleMs: 100 }),
    { port: 0 },
  );
  const returns: Fields[] = [];
  const { url, close } = await openReturnServer(returns);
  return {
    key: sandboxState.identity().controlKey,
    back: `${url}/back`,
    returns,
    post: (path, pairs) => post(gateway, path, pairs),
    newId: () => randomUUID(),
    async close() {
      await gateway.close();
      await close();
      database.close();
    },
  };
}

async function post({ port }: RunningServer, path: string, pairs: Fields): Promise<Fields> {
  const reply = await fetch(`http://127.0.0.1:${port}/gateway${path}`, {
    method: 'POST',
    headers: plainHeaders,
    body: bodyOf(pairs),
  });
  const fields: Fields = JSON.parse(await reply.text());
  return fields;
}

/** Notes every form posted to it and thanks for it. */
async function openReturnServer(returns: Fields[]): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') returns.push(Object.fromEntries(new URLSearchParams(await textOf(request))));
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Shop</title><h1>Thank you</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}
