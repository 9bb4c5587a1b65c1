import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Delivery, Runtime } from '../../src/runtime/ports.js';
import { openTerminal } from '../../src/runtime/terminal.js';
import { paycli, type Ran, reply, type TestOptions, temporaryHome } from '../support/runtime.js';
import { hostile, line, steering } from '../support/steering.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

test('the search finds what it is meant to find', () => {
  expect(steering(hostile)).toEqual(
    expect.arrayContaining(['1b', '7', '9b', 'd', '202e', '2066', '200b', '2028', '2029', '0', '7f', 'd800', 'e0041']),
  );
  const esc = '\u001b';
  expect(steering(`plain é 漢 😀\n\t${esc}[31mred${esc}[39m`)).toEqual([]);
  expect(steering(`${esc}[8m`)).toEqual(['1b']);
});

describe('the last guard', () => {
  const written = (isTty: boolean, text: string) => {
    let all = '';
    const write = (_: 1 | 2, bytes: Uint8Array) => {
      all += Buffer.from(bytes).toString();
      return bytes.length;
    };
    const terminal = openTerminal({}, { isTty: () => isTty, write, columns: () => 80, input: async function* () {} });
    terminal.out(text);
    terminal.err(text);
    return all;
  };

  test('lets through what people read and the colours of paycli, on a terminal', () => {
    const esc = '\u001b';
    const text = `é 漢 😀\n\t${esc}[1m${esc}[31mred${esc}[39m${esc}[22m`;
    expect(written(true, text)).toBe(text + text);
    expect(written(true, `${esc}[8mx${esc}[2J\u009b1m\u202e`)).toBe(
      '\\u{1b}[8mx\\u{1b}[2J\\u{9b}1m\\u{202e}'.repeat(2),
    );
    expect(steering(written(true, hostile))).toEqual([]);
  });

  test('changes nothing for a file or a pipe', () => {
    expect(written(false, 'a\u001b[2J\u202e')).toBe('a\u001b[2J\u202e'.repeat(2));
  });
});

async function search(argv: readonly string[], options: TestOptions = {}): Promise<Ran> {
  const ran = await paycli(argv, options);
  const where = JSON.stringify(argv);
  // Lines of CSV end in CR LF.
  expect(steering(ran.out.replaceAll('\r\n', '\n')), `${where}\n${JSON.stringify(ran.out)}`).toEqual([]);
  // The line of progress is drawn over itself.
  expect(steering(ran.err.replaceAll('\r\u001b[2K', '')), `${where}\n${JSON.stringify(ran.err)}`).toEqual([]);
  expect(
    ran.err.split('\n').filter((text) => /^(?:error: spoofed|next: {2}run)/.test(text)),
    where,
  ).toEqual([]);
  expect(ran.exit, ran.err).not.toBe(1);
  return ran;
}

const looks: readonly TestOptions[] = [{ tty: true }, { tty: false }];
const answered = (status: number, fields: Readonly<Record<string, string>>): Delivery => {
  const delivery = reply(status, fields);
  if (delivery.kind !== 'reply') return delivery;
  const headers = { ...delivery.reply.headers, 'x-note': hostile, 'set-cookie': [hostile, line] };
  return { kind: 'reply', reply: { ...delivery.reply, headers } };
};

/** Answers everything alike. */
const always =
  (delivery: Delivery) =>
  (usual: Runtime): Runtime => ({
    ...usual,
    transport: async () => ({ post: async () => delivery, close: async () => undefined }),
  });

const everywhere = {
  status: hostile,
  'error-message': line,
  'error-code': hostile,
  'redirect-url': `https://x.example/${hostile}`,
  [`name${hostile}`]: hostile,
  html: line,
};

describe('a gateway', () => {
  const answers: readonly (readonly [name: string, delivery: Delivery])[] = [
    ['a taken payment', answered(200, { ...taken, ...everywhere })],
    ['a word of status', answered(200, { ...taken, status: hostile })],
    ['a refusal', answered(400, { ...everywhere, type: 'validation-error' })],
    ['an order id', answered(200, { ...taken, 'paynet-order-id': hostile, 'serial-number': hostile })],
    ['a 3-D Secure step', answered(200, { ...taken, tds_status: hostile })],
    [
      'a page',
      {
        kind: 'reply',
        reply: { status: 502, headers: { 'content-type': hostile, [`h${hostile}`]: 'x' }, body: Buffer.from(line) },
      },
    ],
    [
      'bytes',
      {
        kind: 'reply',
        reply: {
          status: 200,
          headers: { 'content-type': 'application/vnd.pay+json' },
          body: Buffer.from('00ff9b1b5b324a', 'hex'),
        },
      },
    ],
    ['a certificate', { kind: 'certificate', reason: line, remedy: line }],
    ['no connection', { kind: 'never-sent', reason: line }],
  ];

  const manners = [['-vv'], ['--json', '--wait']];
  const followUps = [
    ['status', '12345', '--client-order-id', '902B4FF5'],
    ['capture', '12345', '--client-order-id', '902B4FF5', '--all'],
  ];
  describe.each(answers.map(([name, delivery], at) => [name, delivery, at] as const))(
    'that answers with %s',
    (_, delivery) => {
      test.each(manners)('to a sale with %s %s', async (...more) => {
        for (const look of looks) {
          const ran = await search([...saleFlags, ...more], {
            home: homeWithProfile(),
            outside: always(delivery),
            ...look,
          });
          if (!more.includes('--json')) continue;
          if (ran.out !== '') JSON.parse(stripVTControlCharacters(ran.out));
        }
      });

      test.each(followUps)('to %s', async (...argv) => {
        await search(argv, { home: homeWithProfile(), outside: always(delivery), tty: true });
      });
    },
  );

  test('keeps its say in the journal', async () => {
    const home = homeWithProfile();
    const body = { ...taken, 'serial-number': hostile, 'error-message': line, status: hostile };
    await search(saleFlags, { home, outside: always(answered(200, body)) });
    for (const argv of [['journal'], ['journal', '902B4FF5'], ['resolve', '902B4FF5']])
      for (const look of looks)
        await search(argv, {
          home,
          outside: always(answered(200, { ...statusReply(hostile), ...everywhere })),
          ...look,
        });
  });
});

describe('text of one’s own', () => {
  test.each([
    ['a command', [hostile]],
    ['a field', ['sale', '--field', `${hostile}=1`]],
    ['a field that is sent', [...saleFlags, '--allow-unknown-field', '--field', `${hostile}=${hostile}`, '--dry-run']],
    ['a description', [...saleFlags.map((word) => (word === 'Two tickets' ? 'a\u202eb\u200bc' : word)), '--dry-run']],
    ['a path', ['request', `/api/${hostile}`]],
  ])('as %s', async (_, argv) => {
    for (const look of looks)
      for (const more of [[], ['--json'], ['-vv']])
        await search([...argv, ...more], { home: homeWithProfile(), ...look, env: { PAYCLI_NO_INPUT: '1' } });
  });

  test('in the names of profiles, files and variables', async () => {
    const home = temporaryHome();
    const quoted = JSON.stringify(hostile);
    for (const text of [
      `profiles:\n  ${quoted}:\n    class: test\n`,
      `${quoted}: 1\n`,
      `default-profile: ${quoted}\n`,
      `{${hostile}`,
      `profiles:\n  shop:\n    login: ${quoted}\n`,
    ]) {
      mkdirSync(join(home, 'config'), { recursive: true });
      writeFileSync(join(home, 'config', 'config.yaml'), text);
      for (const look of looks)
        for (const argv of [['profile', 'show'], ['doctor'], ['status', '1'], ['sale', '--json']])
          await search(argv, {
            home,
            ...look,
            env: { [`PAYCLI_${hostile}`]: hostile, LANG: hostile, HTTPS_PROXY: hostile, PAYCLI_NO_INPUT: '1' },
          });
    }
  });

  test('kept by the sandbox', async () => {
    const home = temporaryHome();
    const sale = [
      'sale',
      '--amount',
      '1',
      '--currency',
      'USD',
      '--test-card',
      'approved',
      '--client-order-id',
      'id-1',
      '--order-desc',
      'a\u202eb\u200bc\u009bd'.replace('\u009b', ''),
      '--card-holder',
      'x\u202ey',
    ];
    await search(sale, { home });
    await search(['request', '/api/v2/sale', '--field', 'client_orderid=id-2', '--field', `order_desc=\u202e\u200b`], {
      home,
    });
    for (const argv of [
      ['status', '--client-order-id', 'id-1'],
      ['sandbox', 'log'],
      ['sandbox', 'log', '--findings'],
      ['sandbox', 'callbacks'],
      ['order', '--client-order-id', 'id-1'],
      ['journal'],
    ])
      for (const look of looks)
        for (const more of [[], ['--json']]) await search([...argv, ...more], { home, ...look });
  });
});
