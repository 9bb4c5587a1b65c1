// @module-tag openssl
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../faults/certificates.js';
import { type Fault, type FaultServer, faultServer, faults, redirect } from '../faults/server.js';
import { eventually, Home } from './home.js';
import { type Gateway, payerFlags, profileText, Shop, startGateway } from './shop.js';

const money = ['--amount', '10.42', '--currency', 'USD'];
const sale = ['sale', ...money, '--test-card', 'approved', '--client-order-id', 'order-1'];

let gateway: Gateway;
let home: Home;

beforeAll(async () => {
  gateway = await startGateway();
  const { url, keys } = gateway;
  home = new Home(
    [
      'default-profile: shop',
      'profiles:',
      profileText('shop', url, keys),
      profileText('live', 'https://gateway.example/prefix', keys, { class: 'live' }),
    ].join('\n'),
  );
}, 60_000);

const open: FaultServer[] = [];

afterAll(async () => {
  await Promise.all(open.map((server) => server.close()));
  home.remove();
  await gateway.close();
});

async function serve(fault: Fault, tls?: { readonly key: string; readonly cert: string }): Promise<FaultServer> {
  const server = await faultServer(fault, tls);
  open.push(server);
  return server;
}

/** A connection to another server, made by the environment. */
function reaching(url: string) {
  const { control, pkcs8 } = gateway.keys;
  return {
    PAYCLI_BASE_URL: url,
    PAYCLI_LOGIN: 'shop',
    PAYCLI_ENDPOINT_ID: '5001',
    PAYCLI_CONTROL_KEY_FILE: control,
    PAYCLI_PRIVATE_KEY_FILE: pkcs8,
    ...apart(),
  };
}

let apartments = 0;

/** A journal of its own: equal payments of one user at once would stop each other. */
function apart() {
  apartments += 1;
  return { PAYCLI_STATE_DIR: `${home.path}/state-${apartments}`, PAYCLI_ASK_FIRST: 'off' };
}
const complete = [...sale, '--redirect-url', 'https://shop.example/', ...payerFlags];

describe.concurrent('the gateway refuses', () => {
  test('a wrong control key: exit 4, the recipe, the key and how to debug it', async () => {
    const wrong = ['--control-key-file', gateway.keys.otherControl];
    const { exit, out, err } = await home.call([...sale, ...wrong], apart());
    expect(exit).toBe(4);
    expect(out).toContain('✗ refused by the gateway; nothing took effect');
    const next = /^next: .*/m.exec(err)?.[0];
    expect(next).toMatch(
      /SHA-1 over endpointId, client_orderid, amount in minor units, email and the merchant control key/,
    );
    expect(next).toContain('`paycli sign sale --explain`');
    const explained = await home.call(['sign', ...sale, ...wrong, '--explain']);
    const fingerprint = /^ +key fingerprint +([0-9a-f]{8})$/m.exec(explained.out)?.[1];
    expect(fingerprint).toBeTruthy();
    expect(next).toMatch(new RegExp(`control key .*${fingerprint} of profile shop belong together`));
    const right = await home.call(['sign', ...sale, '--explain']);
    expect(right.out).not.toContain(fingerprint);
  });
});

describe.concurrent('nothing is sent', () => {
  test('to a certificate signed by itself: exit 3, unless --ca-file names it', async () => {
    const certificate = makeCertificate('IP:127.0.0.1');
    const server = await serve(faults.accepted, certificate);
    const { exit, out, err } = await home.call(complete, reaching(server.url));
    expect({ exit, out }).toEqual({ exit: 3, out: '' });
    expect(err).toContain('the certificate is self-signed, and not trusted here');
    expect(server.bodies()).toBe(0);
    const trusted = await home.call(
      [...complete, '--ca-file', home.write('ca.pem', certificate.cert)],
      reaching(server.url),
    );
    expect(trusted.exit, trusted.err).toBe(0);
    expect(server.bodies()).toBe(1);
  });

  test.each([['SIGINT', 130]] as const)(
    'when %s comes while the connection is made: exit %i',
    async (signal, expected) => {
      // It takes the connection and never says anything, so TLS stays half open.
      let connected = false;
      const server = await serve({
        connected: () => {
          connected = true;
        },
      });
      const running = await home.start([...complete, '--json'], reaching(server.url.replace('http:', 'https:')));
      await eventually('a connection', () => connected || undefined);
      running.signal(signal);
      const { exit, out, err } = await running.done;
      expect({ exit, out }).toEqual({ exit: expected, out: '' });
      expect(err).toContain('no payment was sent');
      expect(server.bodies()).toBe(0);
    },
  );
});

describe.concurrent('the outcome is unknown: exit 8, one body on the wire, and how to settle it', () => {
  test('a reset leaves standard output empty and one JSON error', async () => {
    const server = await serve(faults.resetAfterBody);
    const { exit, out, err } = await home.call([...complete, '--quiet', '--json'], reaching(server.url));
    expect({ exit, out }).toEqual({ exit: 8, out: '' });
    expect(JSON.parse(err)).toMatchObject({
      schema: 'paycli.error/1',
      code: 'OUTCOME_UNKNOWN',
      exit: 8,
      next: expect.stringContaining('do not send it again'),
    });
    expect(server.exchanges).toHaveLength(1);
  });

  test.each([307])('a redirect %i, which is not followed', async (status) => {
    const other = await serve(faults.accepted);
    const server = await serve(redirect(status, `${other.url}/elsewhere`));
    const { exit, err } = await home.call(complete, reaching(server.url));
    expect(exit, err).toBe(8);
    expect([server.bodies(), other.exchanges.length]).toEqual([1, 0]);
  });

  test.each(['SIGTERM'] as const)('%s while the gateway is thinking', async (signal) => {
    const server = await serve(faults.silence);
    const running = await home.start([...complete, '--json'], reaching(server.url));
    await eventually('the whole request', () => server.exchanges.find(({ body }) => body.includes('order-1')));
    running.signal(signal);
    const { exit, out, err } = await running.done;
    expect({ exit, out }).toEqual({ exit: 8, out: '' });
    expect(err).toContain('OUTCOME_UNKNOWN');
    expect(server.exchanges).toHaveLength(1);
  });
});

describe.concurrent('the outcome is known', () => {
  /** For the merchant in the box, whom the home of the listening sandbox has without a profile. */
  const queue = async (name: string, id: string) => {
    const { exit, err } = await gateway.home.call(['sandbox', 'outcomes', 'next', name, '--client-order-id', id]);
    expect(exit, err).toBe(0);
  };

  test('Ctrl-C during the wait: exit 7, since the request was accepted', async () => {
    await queue('slow', 'slow-1');
    // Not the amount of another test in this home, whose payment may be in doubt by then.
    const other = ['--amount', '10.43', '--currency', 'USD'];
    const words = ['sale', ...other, '--test-card', 'approved', '--client-order-id', 'slow-1', '--wait', '--verbose'];
    const running = await gateway.home.start(words);
    await eventually(
      'an answered question',
      () => (running.err().match(/^< HTTP 200/gm) ?? []).length > 1 || undefined,
    );
    running.signal('SIGINT');
    const { exit, out, err } = await running.done;
    expect(exit, err).toBe(7);
    expect(out).toContain('next: paycli status ');
  });

  test('of a fault of the sandbox too: HTTP 500, although it was done', async () => {
    await queue('server-error-done', 'fault-1');
    const words = ['sale', ...money, '--test-card', 'approved', '--client-order-id', 'fault-1', '--json'];
    const { exit, err } = await gateway.home.call(words);
    expect(exit, err).toBe(8);
    await new Shop(gateway.home).send('STATUS', [
      'status',
      '--client-order-id',
      'fault-1',
      '--expect',
      'approved',
      '--wait',
    ]);
  });
});

describe.concurrent('configuration', () => {
  const pem = String(
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  test.each([
    ['control-key', 'k-5d41402abc4b2a76'],
    ['private-key', JSON.stringify(pem)],
    ['password', 'k-5d41402abc4b2a76'],
    ['cvv2', '"987"'],
  ])('a secret in it: exit 3, and not repeated: %s', async (key, value) => {
    const bad = new Home(`profiles:\n  shop:\n    class: test\n    ${key}: ${value}\n`);
    for (const mode of [['--json'], ['--profile', 'shop', '--verbose', '--verbose']]) {
      const { exit, out, err } = await bad.call(['sale', ...money, '--test-card', 'approved', ...mode]);
      expect({ exit, out }).toEqual({ exit: 3, out: '' });
      expect(err).toContain('config.yaml');
      expect(err).not.toMatch(/5d41402|BEGIN PRIVATE|(?<!:)987(?!:)/);
      expect(err).not.toContain(pem.split('\n')[1]);
    }
    bad.remove();
  });
});
