import { createServer, type Server } from 'node:http';
import { servePage } from '../sandbox/pages/serve.js';
import { decodeForm, encodeForm, type Pair } from '../wire/form.js';
import type { ScenarioGateway } from './gateway.js';
import type { PayerPath } from './scenario.js';

/** The browser of the payer: a driver posts to it what the shop's page would post to the bank. */
export async function openPayer(
  gateway: ScenarioGateway,
  path: PayerPath,
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.once('end', () => {
      const back = visitBank(gateway, path, decodeForm(Buffer.concat(pieces).toString('utf8')));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(back));
    });
  });
  const port = await listenOn(server);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}

/** Listens at any free port, which it returns. */
export function listenOn(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/**
 * Posts the fields of a form to the page of the bank at `url`, does there what the scenario says, and returns what the
 * page posts to the shop; nothing where the payer goes away.
 */
function visitBank(gateway: ScenarioGateway, path: PayerPath, form: readonly Pair[]): Readonly<Record<string, string>> {
  const url = form.find(([name]) => name === 'url')?.[1] ?? '';
  if (!/\/pages\/3ds\/\w{1,64}$/.test(url)) return { error: 'the URL is not a page of this bank' };
  const sent = form.filter(([name]) => name !== 'url');
  const first = open(gateway, url, sent);
  if (sent.some(([name]) => name === 'threeDSMethodData')) return { threeDSCompInd: 'Y' };
  if (path === 'abandon') return {};
  const pressed: Pair = ['action', path === 'fail' ? 'cancel' : 'confirm'];
  const { action, fields } = formIn(first, url);
  return Object.fromEntries(formIn(open(gateway, action, [...fields, pressed]), action).fields);
}

function open({ sandbox }: ScenarioGateway, url: string, pairs: readonly Pair[]): string {
  const headers = { 'sec-fetch-site': 'same-origin' };
  return sandbox.servePage({ method: 'POST', url, headers, body: Buffer.from(encodeForm(pairs)) }, servePage).body;
}

/** The first form of a page: where it goes, and its hidden fields. */
function formIn(page: string, at: string): { readonly action: string; readonly fields: readonly Pair[] } {
  const [, attributes = '', inner = ''] = /<form([^>]*)>(.*?)<\/form>/s.exec(page) ?? [];
  const action = /action="([^"]*)"/.exec(attributes)?.[1] ?? '';
  const hidden = [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: new URL(unescaped(action), at).href,
    fields: hidden.map(([, name = '', value = '']) => [unescaped(name), unescaped(value)]),
  };
}

function unescaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name] ?? '');
}
