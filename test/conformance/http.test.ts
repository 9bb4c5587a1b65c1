import { Agent, request } from 'node:http';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { listen } from '../../src/sandbox/http.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { configFixture, merchant, other } from './sandbox-state.js';
import { transported } from './suite.js';
import type { Posted, Reply, Target } from './target.js';

// node:http sends the headers it is given and, besides Host and Connection, no others: no Accept of its own.
function exchange(agent: Agent, port: number, { path, method, headers, body }: Posted): Promise<Reply> {
  const bytes = Buffer.from(body, 'utf8');
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path: `/gateway${path}`,
        method,
        headers: { ...headers, 'Content-Length': String(bytes.length) },
      },
      (incoming) => {
        const pieces: Buffer[] = [];
        incoming.on('data', (piece: Buffer) => pieces.push(piece));
        incoming.once('error', reject);
        incoming.once('end', () => {
          const { 'content-type': contentType } = incoming.headers;
          resolve({
            status: incoming.statusCode ?? 0,
            headers: { 'content-type': contentType },
            body: Buffer.concat(pieces).toString('utf8'),
          });
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(bytes);
  });
}

transported('the sandbox over HTTP', async (settings): Promise<Target> => {
  const { sandboxState, database, now, advance } = configFixture();
  const faults: unknown[] = [];
  const server = await listen(
    (pagesBase) =>
      createSandbox(sandboxState, {
        assume: { ...assumeDefaults, ...settings },
        settleMs: 300,
        pagesBase,
        onFault: (error) => faults.push(error),
      }),
    { port: 0 },
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    base: `http://127.0.0.1:${server.port}/gateway`,
    merchant,
    other,
    now,
    advance,
    post: (posted) => exchange(agent, server.port, posted),
    queue: (outcome, clientOrderId) => sandboxState.queueOutcome(outcome, { login: merchant.login, clientOrderId }),
    async close() {
      agent.destroy();
      await server.close();
      database.close();
      if (faults.length > 0) throw new AggregateError(faults, 'the sandbox met faults of its own');
    },
  };
});
