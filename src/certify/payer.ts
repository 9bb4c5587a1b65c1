import { createServer, type Server } from 'node:http';
import { merchantAnswer, showAcsPage, submitChallenge } from '../sandbox/pages/acs.js';
import { openSession } from '../sandbox/pages/page-session.js';
import { usual } from '../sandbox/pages/pay.js';
import { decodeForm, type Pair } from '../wire/form.js';
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
  const { store } = gateway.state;
  const { url = '', ...sent } = Object.fromEntries(form);
  const pairs = Object.entries(sent);
  const token = /\/pages\/3ds\/(\w{1,64})$/.exec(url)?.[1] ?? '';
  return store.database.transaction(() => {
    const session = openSession(store, usual, token);
    if (session === undefined) return { error: 'the URL is not a page of this bank' };
    if (showAcsPage(session, pairs).status !== 200) return { error: 'the bank refused the message' };
    if ('threeDSMethodData' in sent) return { threeDSCompInd: 'Y' };
    if (path === 'abandon') return {};
    submitChallenge(session, [...pairs, ['action', path === 'fail' ? 'cancel' : 'confirm']]);
    const { fields } = merchantAnswer(openSession(store, usual, token) ?? session, pairs);
    return Object.fromEntries(fields);
  });
}
