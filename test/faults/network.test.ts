import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/machine.js';
import { eventually } from '../e2e/home.js';
import { makeCertificate } from './certificates.js';
import { openMerchants, sale } from './merchant.js';
import { answer, byPath, endless, type Fault, faultServer, faults, redirect } from './server.js';

const { newMerchant, serve } = openMerchants();
const merchant = newMerchant();
/** Whose clock moves on: to it, all others that write to the same journal have been silent for long. */
const patient = newMerchant();

/** Holds the one row of a gateway in the file of the journal against what it has to be. */
function expectRow(url: string, state: string, more: Readonly<Record<string, unknown>> = {}): void {
  expect(merchant.rows(url)).toEqual([
    expect.objectContaining({ operation: 'SALE', state, minor: '1042', currency: 'USD', ...more }),
  ]);
}

const refusal = (words: string) =>
  answer(`{"type":"validation-error","error-message":"${words}","error-code":"2"}`, { status: 400 });
const noRecord = refusal('order not found');
const silent = ['--timeout', '1'];

describe.concurrent('the outcome is unknown: exit 8, one body on the wire, the way to settle it, and nothing is sent again', () => {
  const other = serve(faults.accepted);
  const cases: readonly (readonly [row: string, fault: Fault | Promise<Fault>, why: RegExp])[] = [
    ['F5 a reset after the request', faults.resetAfterBody, /closed before the reply was complete/],
    ['F9 silence', faults.silence, /no complete reply within 1 s/],
    ['F10 a page', faults.html, /an HTML page instead of a gateway reply/],
    ['F11 a truncated reply', faults.truncated, /not valid HTTP/],
    ['F13 a body without end', endless({ bytes: 0 }), /reply larger than 1 MiB/],
    ['F18 100,000 headers', faults.manyHeaders, /not valid HTTP/],
    ['F19 HTTP 307', other.then(({ url }) => redirect(307, `${url}/api/v2/sale/5001`)), /HTTP 307/],
    ['F24 HTTP 500', answer('', { status: 500 }), /HTTP 500/],
    ['F28 two lengths', faults.twoLengths, /not valid HTTP/],
    ['F28 no HTTP', faults.notHttp, /not valid HTTP/],
    ['F28 a remark in place of a reply', faults.continued, /closed before the reply was complete/],
  ];

  test.each(cases)('%s', async (row, fault, why) => {
    const server = await serve(byPath({ '/sale/': await fault, '/status/': noRecord }));
    // A limit that a busy machine does not reach, but for what ends by the limit.
    const isSilent = fault === faults.silence;
    const { exit, out, err } = await merchant.call([...sale(), ...(isSilent ? silent : [])], server.url);
    expect({ exit, out }, err).toEqual({ exit: 8, out: '' });
    expect(err).toMatch(/^error: the outcome is unknown; money may have moved: /m);
    expect(err).toMatch(/^next: {2}do not send it again; resolve it with `paycli resolve order-1`/m);
    expect(err).toMatch(why);
    expectRow(server.url, 'unknown', { attempt: 1, reason: expect.stringMatching(why) });
    const isRepeated = ['F5', 'F9', 'F24'].includes(row.split(' ', 1)[0] ?? '');
    if (isRepeated) {
      const again = await merchant.call(sale(), server.url);
      expect(again.exit, again.err).toBe(8);
      expect(again.err).toContain('nothing is sent again');
      expect(again.err).toContain('the gateway has no such order');
      expectRow(server.url, 'unknown', { attempt: 1 });
    }
    expect([server.bodies('/sale/'), server.bodies('/status/')]).toEqual([1, isRepeated ? 1 : 0]);
    if (row.startsWith('F19')) expect((await other).exchanges).toEqual([]);
  });

  test('F6 a reset in the middle of the body', async () => {
    const server = await serve(byPath({ '/sale/': faults.resetInBody, '/status/': noRecord }));
    const filler = merchant.home.write('filler', JSON.stringify({ filler: 'a'.repeat(1_000_000) }));
    const large = [...sale(), '--allow-unknown-field', '--input', filler];
    for (const _ of [1, 2]) {
      const { exit, err } = await merchant.call(large, server.url);
      expect(exit, err).toBe(8);
      expectRow(server.url, 'unknown', { attempt: 1 });
    }
    expect(server.bodies('/sale/')).toBe(1);
    expect(server.exchanges[0]?.body.length).toBeLessThan(1_000_000);
  });

  test('F6 a reset before the body: sent at most once, or confirmed not sent', async () => {
    const server = await serve(faults.resetAtOnce);
    const { exit, err } = await merchant.call(sale(), server.url);
    expect([6, 8], err).toContain(exit);
    expectRow(server.url, exit === 8 ? 'unknown' : 'not_sent');
    expect(server.bodies()).toBe(0);
  });

  test('F15 an unlisted status word: exit 8 when the wait ends, and unknown in the journal', async () => {
    const word = answer(
      '{"type":"status-response","paynet-order-id":"17","merchant-order-id":"order-1","status":"frob\\u001b[2Jnicated"}',
    );
    const server = await serve(byPath({ '/sale/': faults.accepted, '/status/': word }));
    const { exit, out } = await merchant.call([...sale(), '--wait', '--wait-timeout', '3'], server.url);
    expect(exit).toBe(8);
    expect(out).toContain('frob\\u{1b}[2Jnicated');
    expectRow(server.url, 'unknown', { order_id: '17' });
    expect(server.bodies('/sale/')).toBe(1);
  });
});

describe.concurrent('nothing is sent', () => {
  test('F1 to a host that is not known: exit 6 after three tries', async () => {
    // What the name service of this machine says of it, or that it says nothing in time, is not up to paycli.
    const url = 'https://gateway.invalid/pay';
    const { exit, out, err } = await merchant.call([...sale(), '--verbose'], url, { PAYCLI_CLASS: 'test' });
    expect({ exit, out }).toEqual({ exit: 6, out: '' });
    expect(err).toMatch(
      /^error: nothing was sent: (?:the connection failed \((?:ENOTFOUND|EAI_AGAIN)\)|no connection within 10 s)\nnext: .*repeat the same command/m,
    );
    expect(err.match(/^< never-sent/gm)?.length).toBe(1);
    expectRow(url, 'not_sent', { attempt: 1 });
  });

  test('F2 to a port where nobody listens: exit 6, and the same command again is a new attempt', async () => {
    const { url, port, close } = await faultServer({});
    await close();
    const { exit, err } = await merchant.call(sale(), url);
    expect(exit, err).toBe(6);
    expect(err).toMatch(/nothing was sent: the connection failed \(ECONNREFUSED\)\nnext: .*repeat the same command/);
    expectRow(url, 'not_sent', { attempt: 1 });
    const server = await serve(faults.accepted, undefined, port);
    expect((await merchant.call(sale(), url)).exit).toBe(0);
    expectRow(url, 'accepted', { attempt: 2 });
    expect(server.bodies()).toBe(1);
  });

  // The other ways in which a certificate is none are held at the port.
  test('F4 to a certificate that has expired: exit 3', { tags: 'openssl' }, async () => {
    const made = makeCertificate('IP:127.0.0.1', -1);
    const server = await serve(faults.accepted, made);
    const trust = ['--ca-file', merchant.home.write('expired.pem', made.cert)];
    const { exit, out, err } = await merchant.call([...sale(), ...trust], server.url);
    expect({ exit, out }, err).toEqual({ exit: 3, out: '' });
    expect(err).toMatch(/no secure connection to 127\.0\.0\.1:\d+: .*CERT_HAS_EXPIRED/);
    expect(err).toMatch(/\nnext: {2}nothing was sent; /);
    expectRow(server.url, 'not_sent');
    expect(server.bodies()).toBe(0);
  });
});

describe.concurrent('a definite no', () => {
  test('F20 HTTP 400 with an error record: exit 4, refused, and a corrected request is a new attempt', async () => {
    const server = await serve(refusal('no such currency'));
    const { exit, err } = await merchant.call(sale(), server.url);
    expect(exit, err).toBe(4);
    expect(err).toContain('the gateway refused the request: no such currency');
    expectRow(server.url, 'refused', { attempt: 1 });
    expect(server.bodies('/sale/')).toBe(1);
    const corrected = sale().map((word) => (word === '10.42' ? '10.43' : word));
    expect((await merchant.call(corrected, server.url)).exit).toBe(4);
    expect(merchant.rows(server.url)).toMatchObject([{ state: 'refused', attempt: 2, minor: '1043' }]);
    expect(server.bodies('/sale/')).toBe(2);
  });

  /** The same user, so many minutes on. */
  const later = (minutes: number, argv: readonly string[], url: string) => {
    const clock = { ...systemClock, now: () => systemClock.now() + minutes * 60_000 };
    return patient.home.call(argv, { ...patient.reaching(url), USER: 'bob' }, clock);
  };

  test('F21 HTTP 400 after an approved resend may mean "twice": exit 8, unknown, two bodies', async () => {
    const fault = { now: faults.resetAfterBody as Fault };
    const server = await serve(
      byPath({ '/sale/': { received: (...on) => fault.now.received?.(...on) }, '/status/': noRecord }),
    );
    const { url } = server;
    expect((await patient.call(sale(), url)).exit).toBe(8);
    const resend = ['resolve', '--client-order-id', 'order-1', '--resend', '--confirm-resend'];
    const early = await later(0, [...resend, 'order-1'], url);
    expect(early.exit).toBe(10);
    expect(early.err).toContain('at least 3 times over 60 minutes');
    expect((await later(31, ['resolve', '--client-order-id', 'order-1'], url)).exit).toBe(8);
    expect((await later(62, [...resend, 'order-2'], url)).exit).toBe(10);
    expect((await later(63, [...resend, 'order-1'], url)).exit).toBe(0);
    fault.now = refusal('this order is known already');
    const { exit, err, out } = await later(64, sale(), url);
    expect(exit, err).toBe(8);
    expect(out + err).toContain('`paycli resolve');
    expect(patient.rows(url)).toMatchObject([
      {
        ...{ state: 'unknown', attempt: 2 },
        reason: expect.stringContaining('after an earlier attempt that may have reached the gateway'),
      },
    ]);
    expect(server.bodies('/sale/')).toBe(2);
    // The approval was for one attempt.
    expect((await later(65, sale(), url)).exit).toBe(8);
    expect(server.bodies('/sale/')).toBe(2);
  });
});

describe('Ctrl-C', () => {
  test('while the connection is made: exit 130, and nothing was sent', async () => {
    // It takes the connection and never says anything, so TLS stays half open.
    let isConnected = false;
    const server = await serve({
      connected: () => {
        isConnected = true;
      },
    });
    const running = await merchant.home.start(sale(), merchant.reaching(server.url.replace('http:', 'https:')));
    await eventually('a connection', () => isConnected || undefined);
    running.signal('SIGINT');
    const { exit, out, err } = await running.done;
    expect({ exit, out }).toEqual({ exit: 130, out: '' });
    expect(err).toContain('no payment was sent');
    expect(server.bodies()).toBe(0);
  });

  test('after the first byte is unknown, not cancelled, however soon a second one follows', async () => {
    const server = await serve(faults.silence);
    const running = await merchant.home.start(sale(), merchant.reaching(server.url));
    await eventually('the whole request', () => server.exchanges.find(({ body }) => body.includes('order-1')));
    running.signal('SIGINT');
    // Until it has ended: one of them comes at the worst moment.
    const again = setInterval(() => running.signal('SIGINT'), 1);
    const { exit, err } = await running.done;
    clearInterval(again);
    expect(exit, err).toBe(8);
    expect(err).toContain('paycli resolve');
    expectRow(server.url, 'unknown', { reason: 'interrupted' });
  });
});
