import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Runtime } from '../../src/runtime/ports.js';
import { operationById } from '../../src/spec/index.js';
import { copiesOf } from '../support/runtime.js';
import { endings, json, network } from './echoing.js';
import { hunting } from './hunting.js';
import { card, code, controlKey, mistyped, plantFiles } from './planted.js';

/** A search for mistakes, which is not what is tested here, ends when it first looks at the clock. */
function outOfTime(usual: Runtime): Runtime {
  let day = 0;
  const { clock } = usual;
  return {
    ...usual,
    clock: { now: () => clock.now(), monotonic: () => ++day * 86_400_000, sleep: (ms) => clock.sleep(ms) },
  };
}

const planted = plantFiles();
const { shop, search } = hunting(planted);

const pareq = deflateSync(
  `<ThreeDSecure><Message><PAReq><CH><acctID>${card}</acctID></CH></PAReq></Message></ThreeDSecure>`,
).toString('base64');
const spaced = card.replace(/(.{4})(?=.)/g, '$1 ');
const { rsa, locked, phrase, weak, key } = planted;

const batchFile = planted.put(
  'batch.csv',
  `client_orderid,amount,currency,card_number\na-1,1.00,EUR,${card}\na-2,1.00,EUR,${mistyped}\n`,
);
const batchFlags = ['--operation', 'payout', '--expect-count', '2', '--expect-total', 'EUR=2.00'];

/** Command lines with secrets wherever one fits. */
const runs: Readonly<Record<string, readonly (readonly string[])[]>> = {
  request: [
    ['request', '/api/v2/sale', '--field', `credit_card_number=${card}`, '--field', `cvv2=${code}`, '--dry-run'],
    [
      'request',
      '/api/v9/new',
      '--scheme',
      'none',
      '--dry-run',
      '--input',
      planted.put('input.json', JSON.stringify({ pan: card, cvv2: code })),
    ],
    [
      'request',
      '/api/v2/sale',
      '--dry-run',
      '--input',
      planted.put('odd.json', JSON.stringify({ [card]: code, amount: card })),
    ],
    ['request', '/api/v2/sale', '--dry-run', '--input', planted.put('cut.json', `{"cvv2":"${code}","pan":"${card}`)],
  ],
  'keys inspect': [
    ['keys', 'inspect', rsa],
    ['keys', 'inspect', locked, '--passphrase-file', phrase],
    ['keys', 'inspect', weak],
    ['keys', 'inspect', key],
    ['keys', 'inspect', locked, '--passphrase-file', key, '--no-input'],
  ],
  'keys convert': [
    ['keys', 'convert', rsa, '--to', 'pkcs1', '--out', 'a.pem'],
    ['keys', 'convert', locked, '--passphrase-file', phrase, '--decrypt', '--out', 'b.pem'],
  ],
  support: [
    ['support', 'id-1', '--out', 'b.zip'],
    ['support', card],
  ],
  certify: [
    ['certify', '--list'],
    ['certify', '--only', card, '--', 'true'],
  ],
  'sandbox merchant': [['sandbox', 'merchant', `${card}${card}`]],
  'sandbox pay': [
    ['sandbox', 'pay', card],
    ['sandbox', 'pay', `http://127.0.0.1:8484/gateway/pages/form/${card}`],
  ],
  'sandbox log': [['sandbox', 'log']],
  '3ds decode': [
    ['3ds', 'decode', controlKey],
    [
      '3ds',
      'decode',
      Buffer.from(JSON.stringify({ messageType: 'CRes', acctNumber: card, note: [spaced] })).toString('base64url'),
    ],
    ['3ds', 'decode', pareq],
  ],
  resolve: [
    ['resolve', '--all', '--once'],
    ['resolve', 'id-1', '--once'],
  ],
  journal: [['journal'], ['journal', 'id-1'], ['journal', '--since', card], ['journal', '--min', card]],
  'callback verify': [
    [
      'callback',
      'verify',
      `status=approved&orderid=12345&client_orderid=id-1&error-message=${card}&cvv2=${code}&control=${controlKey}`,
    ],
    ['callback', 'verify', `@${planted.card}`],
  ],
  'callback send': [
    ['callback', 'send', '--client-order-id', 'id-1', '--to', 'http://127.0.0.1:1/', '--set', `error-message=${card}`],
  ],
  init: [
    ['init', '--class', 'sandbox'],
    ['init', '--name', card, '--login', card, '--endpoint', `${card}=${card}`, '--max-amount', card, '--no-input'],
    ['init', '--name', 'three', '--base-url', `https://x:${controlKey}@x.example`, '--endpoint-id', controlKey],
    [
      ...[
        'init',
        '--name',
        'four',
        '--class',
        'test',
        '--base-url',
        'https://four.example',
        '--login',
        'my-shop',
        '--endpoint-id',
        '4001',
      ],
      ...['--control-key-file', key, '--private-key-file', key, '--passphrase-file', phrase, '--no-check'],
    ],
  ],
  'profile show': [
    ['profile', 'show'],
    ['profile', 'show', card],
  ],
  'profile set': [
    ['profile', 'set', 'shop', `control-key=${controlKey}`, controlKey, card],
    ['profile', 'set', 'shop', `${card}=x`, `login=${card}`],
    ['profile', 'set', 'shop', `login=${controlKey}`, `endpoints.${card}=4001`, `defaults.order-desc=${card}`],
    ['profile', 'set', card, 'login=x'],
  ],
  'profile set-key': [
    // Taken, the key would be where paycli keeps keys: in a file of its own.
    ['profile', 'set-key', 'shop', 'control', '--file', key, '--live'],
    ['profile', 'set-key', 'shop', 'private', '--file', key, '--passphrase-file', phrase, '--unchecked'],
    ['profile', 'set-key', 'shop', card, '--file', controlKey],
    ['profile', 'set-key', card, 'control', '--file', controlKey, '--unchecked'],
  ],
  orders: [
    ['orders', card],
    ['orders', '--card', card],
    ['orders', '--status', card, '--amount', card, '--since', card, '--operation', card, '--limit', card],
  ],
  order: [
    ['order', '--client-order-id', 'id-1'],
    ['order', 'id-1', '--timeline'],
    ['order', '--can', 'capture', '--client-order-id', 'id-1'],
    ['order', '--can', card, '--client-order-id', 'id-1'],
  ],
  doctor: [['doctor'], ['doctor', '--control-key-file', locked, '--private-key-file', key]],
  'batch plan': [
    ['batch', 'plan', batchFile, ...batchFlags],
    ['batch', 'plan', batchFile, ...batchFlags, '--allow-pan-file'],
    [
      'batch',
      'plan',
      planted.put('cvv.csv', `client_orderid,amount,currency,card_number,cvv2\na-1,1.00,EUR,${card},${code}\n`),
      ...batchFlags,
    ],
    ['batch', 'plan', planted.put('odd.csv', `${card},${controlKey}\n${spaced},"${code}\n`), ...batchFlags],
  ],
  'batch run': [['batch', 'run', card]],
  'batch pause': [['batch', 'pause', card, '--reason', controlKey]],
  'batch reconcile': [
    [
      'batch',
      'reconcile',
      planted.put('statement.csv', `orderid,amount,currency,note\n${card},1.00,EUR,${controlKey}\n`),
    ],
  ],
};

const statusRow = operationById('STATUS');

const body = `client_orderid=id-1&amount=10.42&currency=USD&credit_card_number=${card}&cvv2=${code}&control=${'0'.repeat(40)}`;
const oauth =
  'OAuth oauth_consumer_key="my-shop",oauth_nonce="a",oauth_signature="x",oauth_signature_method="RSA-SHA256",oauth_timestamp="1",oauth_version="1.0"';

describe('requests of others, read from files, by', () => {
  test.each([
    [
      'check',
      [
        planted.put(
          'http',
          `POST /api/v2/sale/1144 HTTP/1.1\nHost: gate.example\nContent-Type: application/x-www-form-urlencoded\n\n${body}`,
        ),
      ],
    ],
    ['check', [planted.put('curl', `curl https://gate.example/api/v2/sale/1144 -d '${body}'`)]],
    [
      'check',
      [
        planted.put(
          'oauth',
          `curl https://gate.example/api/v4/transfer/1144 -H 'Authorization: ${oauth}' -d '${body}'`,
        ),
      ],
    ],
    ['check', [planted.put('cut', `POST ${card}\n${controlKey}`)]],
  ])('sign %s %s', async (tool, flags) => {
    for (const more of [[], ['--json', '-vv']]) {
      const ran = await search(['sign', tool, ...flags, ...more], { home: shop(), outside: outOfTime });
      expect([2, 3, 11]).toContain(ran.exit);
    }
  });
});

/** A payment whose outcome is unknown stands in the journal, so that there is something to show. */
const shopWithUnknownSale = copiesOf(async () => {
  const home = shop();
  const payer = [
    '--card-file',
    planted.card,
    '--order-desc',
    'x',
    '--email',
    'a@b.example',
    '--phone',
    '+4930123456',
    '--address1',
    'x',
    '--city',
    'x',
    '--zip-code',
    '1',
    '--country',
    'DE',
    '--ip-address',
    '192.0.2.1',
    '--redirect-url',
    'https://x.example/',
  ];
  const lost = await search(['sale', '--amount', '10.42', '--currency', 'USD', '--client-order-id', 'id-1', ...payer], {
    home,
    outside: network(statusRow, endings[4]?.[1] ?? json(200)).outside,
  });
  expect(lost.exit, lost.err).toBe(8);
  return home;
});

describe.each(Object.entries(runs))('%s', (path, lines) => {
  test.each(lines.map((argv) => ({ line: argv.slice(path.split(' ').length).join(' '), argv })))(
    '$line',
    async ({ argv }) => {
      const home = await shopWithUnknownSale();
      for (const more of [['-vv'], ['--json']]) {
        const ran = await search([...argv, ...more], {
          home,
          signal: 'SIGINT',
          outside: (usual) => outOfTime(network(statusRow, json(200)).outside(usual)),
        });
        expect(ran.exit, ran.err).not.toBe(1);
      }
    },
  );
});
