// Verified sales per second of the listening sandbox, state on disk, beside a bare HTTP echo and beside a stateless mock server.
// Also by itself: node test/bench/sandbox.mjs [seconds] [--no-prism].
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { freshSettings, inTurns, peer, row, scratch, startSandbox, startServer, stopServers } from './harness.mjs';
import { saleBody } from './requests.mjs';
import { textTable } from './table.mjs';

export const title = 'Sandbox';

const connections = 32;
const rounds = 3;
let count = 0;

const echoSource = `
import { createServer } from 'node:http';
const server = createServer((request, response) => request.pipe(response));
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;

const openapi = {
  openapi: '3.0.3',
  info: { title: 'one operation', version: '1' },
  paths: {
    '/gateway/api/v2/sale/{endpointId}': {
      post: {
        parameters: [{ name: 'endpointId', in: 'path', required: true, schema: { type: 'integer' } }],
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['client_orderid', 'amount', 'currency', 'control'],
                properties: Object.fromEntries(
                  ['client_orderid', 'amount', 'currency', 'email', 'control'].map((name) => [
                    name,
                    { type: 'string' },
                  ]),
                ),
              },
            },
          },
        },
        responses: {
          200: {
            description: 'accepted',
            content: {
              'application/vnd.pay+json': {
                schema: { type: 'object', properties: { type: { type: 'string', example: 'async-response' } } },
              },
            },
          },
        },
      },
    },
  },
};

export async function measure({ seconds, withPeers }) {
  const sandbox = await startSandbox();
  const echo = await startServer(
    [process.execPath, '--input-type=module', '-e', echoSource],
    /(http:\S+)/,
    freshSettings(),
  );
  const prism = withPeers ? peer('@stoplight/prism-cli') : undefined;
  const targets = [
    { url: `${sandbox.url}/api/v2/sale/4001`, isVerified: true },
    { url: `${echo}/gateway/api/v2/sale/4001` },
  ];
  if (prism !== undefined) targets.push({ url: `${await startPrism(prism)}/gateway/api/v2/sale/4001` });
  const merchant = { endpointId: '4001', key: sandbox.key };
  for (const target of targets) await rate(target, merchant, 1);
  const [values, ...others] = await inTurns(
    rounds,
    targets.map((target) => () => rate(target, merchant, seconds)),
  );
  const what = 'verified sale, state on disk';
  const besides = [{ beside: 'bare HTTP echo' }, { beside: prism?.name, goal: { atLeast: 1 } }];
  return {
    method: `${connections} connections, ${rounds} × ${seconds} s in turns`,
    rows: others.map((besideValues, at) => row({ what, unit: '/s', values, besideValues, ...besides[at] })),
  };
}

/** Requests per second over the given time; every reply must be a 200. */
async function rate({ url, isVerified = false }, merchant, seconds) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const headers = { accept: 'application/vnd.pay+json', 'content-type': 'application/x-www-form-urlencoded' };
  const began = performance.now();
  let done = 0;
  const work = async () => {
    while (performance.now() - began < seconds * 1000) {
      count += 1;
      const sale = saleBody(merchant, `bench-${process.pid}-${count}`);
      const { statusCode, body } = await pool.request({ path: pathname, method: 'POST', headers, body: sale });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text.slice(0, 200)}`);
      if (isVerified && !text.includes('paynet-order-id'))
        throw new Error(`${url} made no order: ${text.slice(0, 200)}`);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const perSecond = (done / (performance.now() - began)) * 1000;
  await pool.close();
  return perSecond;
}

async function startPrism({ program }) {
  const file = join(scratch, 'openapi.json');
  writeFileSync(file, JSON.stringify(openapi));
  const port = await freePort();
  const words = [process.execPath, program, 'mock', '--port', String(port), '--verboseLevel', 'info', file];
  await startServer(words, /is listening on/, freshSettings());
  return `http://127.0.0.1:${port}`;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const given = process.argv.slice(2);
  const seconds = Number(given.find((word) => /^\d+$/.test(word)) ?? 5);
  try {
    const part = await measure({ seconds, withPeers: !given.includes('--no-prism') });
    console.log(textTable({ title, ...part }));
  } finally {
    stopServers();
  }
}
