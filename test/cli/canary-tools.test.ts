import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { allOperations, operationById } from '../../src/spec/index.js';
import { briefSearch } from '../support/brief-search.js';
import { oneIn } from '../support/every.js';
import { copiesOf } from '../support/runtime.js';
import { endings, json, network } from './echoing.js';
import { hunting } from './hunting.js';
import { card, code, controlKey, leaves, mistyped, plantFiles } from './planted.js';

const everyLeaf = await leaves();

const planted = plantFiles();
const { shop, search } = hunting(planted);

test('help of every command, and completion behind every secret', async () => {
  const home = shop();
  for (const { path } of oneIn(4, everyLeaf, 0))
    expect((await search([...path.split(' '), '--help'], { home })).exit, path).toBe(0);
  for (const words of [
    ['sale', '--card-number', card, ''],
    ['sale', '--card-number', ''],
    ['sale', `--cvv=${code}`, '--'],
    ['status', card],
    [controlKey, ''],
    ['profile', 'show', ''],
  ])
    await search(['__complete', 'bash', '--', ...words], { home });
});

const pareq = deflateSync(
  `<ThreeDSecure><Message><PAReq><CH><acctID>${card}</acctID></CH></PAReq></Message></ThreeDSecure>`,
).toString('base64');
const spaced = card.replace(/(.{4})(?=.)/g, '$1 ');
const { rsa, locked, phrase, weak, key } = planted;
const open = planted.public;
const params = planted.put(
  'params.json',
  JSON.stringify([
    ['pan', card],
    ['cvv2', code],
  ]),
);
const raw = [
  '--url',
  'https://gate.example/api/v4/transfer/1144',
  '--signature-method',
  'HMAC-SHA1',
  '--consumer-key',
  'my-shop',
  '--key-file',
  key,
  '--params-file',
  params,
];

const batchFile = planted.put(
  'batch.csv',
  `client_orderid,amount,currency,card_number\na-1,1.00,EUR,${card}\na-2,1.00,EUR,${mistyped}\n`,
);
const batchFlags = ['--operation', 'payout', '--expect-count', '2', '--expect-total', 'EUR=2.00'];

/**
 * A command line for every command that is no operation, with secrets wherever one fits. What `sign raw` and `sign
 * control` print is the text over which they sign, with the values the user gave them as parameters, so those get none.
 */
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
  'form fill': [['form', 'fill', card]],
  'keys generate': [['keys', 'generate', '--bits', '2048', '--out', 'made.pem', '--passphrase-file', phrase]],
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
  'keys check-pair': [
    ['keys', 'check-pair', rsa, open],
    ['keys', 'check-pair', locked, open, '--passphrase-file', phrase],
    ['keys', 'check-pair', rsa, key],
  ],
  'sign raw': [
    ['sign', 'raw', ...raw.slice(0, -2), '--params-file', planted.put('none.json', '[]')],
    ['sign', 'raw', ...raw.slice(0, -2), '--params-file', key],
  ],
  'sign doctor': [['sign', 'doctor', '--port', 'none', '--', 'true']],
  'sign control': [
    ['sign', 'control', '--values-file', planted.put('plain.json', '["my-shop"]'), '--key-file', key],
    ['sign', 'control', '--values-file', key, '--key-file', key],
  ],
  'sign vectors': [['sign', 'vectors', 'SALE']],
  'assumptions list': [['assumptions', 'list']],
  'assumptions explain': [
    ['assumptions', 'explain', 'A07'],
    ['assumptions', 'explain', card],
  ],
  'assumptions set': [
    ['assumptions', 'set', 'body-amount=minor'],
    ['assumptions', 'set', card, `${card}=x`, `body-amount=${card}`, '--unset', card],
  ],
  'support bundle': [
    ['support', 'bundle', 'id-1', '--out', 'b.zip'],
    ['support', 'bundle', card],
  ],
  certify: [
    ['certify', '--list'],
    ['certify', '--only', card, '--', 'true'],
  ],
  'sandbox start': [['sandbox', 'start', '--port', card]],
  'sandbox stop': [['sandbox', 'stop']],
  'sandbox status': [['sandbox', 'status']],
  'sandbox reset': [['sandbox', 'reset']],
  'sandbox outcomes': [
    ['sandbox', 'outcomes'],
    ['sandbox', 'outcomes', 'next', card],
  ],
  'sandbox snapshot save': [['sandbox', 'snapshot', 'save', 'one']],
  'sandbox snapshot load': [
    ['sandbox', 'snapshot', 'load', 'one'],
    ['sandbox', 'snapshot', 'load', card],
  ],
  'sandbox snapshot list': [['sandbox', 'snapshot', 'list']],
  'sandbox merchant add': [['sandbox', 'merchant', 'add', '--login', `${card}${card}`]],
  'sandbox clock show': [['sandbox', 'clock', 'show']],
  'sandbox clock set': [['sandbox', 'clock', 'set', card]],
  'sandbox clock advance': [['sandbox', 'clock', 'advance', card]],
  'sandbox clock run': [['sandbox', 'clock', 'run', '--speed', card]],
  'sandbox callbacks list': [['sandbox', 'callbacks', 'list']],
  'sandbox callbacks script': [['sandbox', 'callbacks', 'script', card]],
  'sandbox log': [['sandbox', 'log']],
  'sandbox audit': [['sandbox', 'audit']],
  '3ds decode': [
    ['3ds', 'decode', controlKey],
    [
      '3ds',
      'decode',
      Buffer.from(JSON.stringify({ messageType: 'CRes', acctNumber: card, note: [spaced] })).toString('base64url'),
    ],
    ['3ds', 'decode', pareq],
  ],
  '3ds lint': [
    ['3ds', 'lint', controlKey],
    ['3ds', 'lint', pareq],
  ],
  '3ds run': [['3ds', 'run', '12345', '--path', card]],
  resolve: [
    ['resolve', '--all', '--once'],
    ['resolve', 'id-1', '--once'],
  ],
  'journal list': [
    ['journal', 'list'],
    ['journal', 'list', '--since', card],
    ['journal', 'list', '--min', card],
  ],
  'journal show': [['journal', 'show', 'id-1']],
  'journal verify': [['journal', 'verify']],
  'journal adopt': [['journal', 'adopt', '--after-restore', '--evidence', card]],
  'callback listen': [['callback', 'listen', '--port', card]],
  'callback list': [
    ['callback', 'list'],
    ['callback', 'list', '--since', card],
  ],
  'callback show': [['callback', 'show', card]],
  'callback replay': [['callback', 'replay', card, '--to', 'http://127.0.0.1:1/']],
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
    [
      'init',
      '--name',
      'three',
      '--base-url',
      `https://x:${controlKey}@x.example`,
      '--endpoint-id',
      controlKey,
      '--support-text',
      card,
    ],
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
  'profile add': [
    ['profile', 'add', card, '--no-input'],
    ['profile', 'add', 'two', '--class', 'test', '--base-url', `https://x:${controlKey}@x.example`, '--no-input'],
  ],
  'profile list': [['profile', 'list']],
  'profile show': [
    ['profile', 'show'],
    ['profile', 'show', card],
  ],
  'profile use': [['profile', 'use', card]],
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
  'profile rename': [
    ['profile', 'rename', 'shop', card],
    ['profile', 'rename', card, 'shop-2'],
  ],
  'profile remove': [['profile', 'remove', card, '--yes']],
  'config explain': [['config', 'explain']],
  'config trust': [
    ['config', 'trust', key],
    [
      'config',
      'trust',
      planted.put('.paycli.yaml', `profiles:\n  shop:\n    control-key: ${controlKey}\n    ${card}: x\n`),
    ],
  ],
  whoami: [['whoami']],
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
  commands: [['commands', '--select', 'command']],
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
  'batch resume': [['batch', 'resume', card]],
  'batch work': [
    ['batch', 'work', '--engine', `postgres://shop:${controlKey}@127.0.0.1/batches`, '--row-key-file', key],
  ],
  'batch pause': [['batch', 'pause', card, '--reason', controlKey]],
  'batch continue': [['batch', 'continue', card]],
  'batch withdraw': [['batch', 'withdraw', card, '--reason', controlKey]],
  'batch archive': [['batch', 'archive', card, '--reason', controlKey]],
  'batch report': [['batch', 'report', card]],
  'batch list': [['batch', 'list']],
  'batch show': [['batch', 'show', card]],
  'batch approve': [['batch', 'approve', card, '--key-file', rsa]],
  'batch reconcile': [
    [
      'batch',
      'reconcile',
      planted.put('statement.csv', `orderid,amount,currency,note\n${card},1.00,EUR,${controlKey}\n`),
    ],
  ],
  completion: [
    ['completion', 'bash'],
    ['completion', card],
  ],
};

const statusRow = operationById('STATUS');
const operationWords = allOperations.map(({ command }) => command);
const isOperation = (path: string) =>
  operationWords.some((command) => path === command || new RegExp(`^sign (?:\\w+(?:-\\w+)? )?${command}$`).test(path));

const signed = [...raw, '--nonce', 'a', '--timestamp', '1894017600'];
const body = `client_orderid=id-1&amount=10.42&currency=USD&credit_card_number=${card}&cvv2=${code}&control=${'0'.repeat(40)}`;
const oauth =
  'OAuth oauth_consumer_key="my-shop",oauth_nonce="a",oauth_signature="x",oauth_signature_method="RSA-SHA256",oauth_timestamp="1",oauth_version="1.0"';

describe('requests of others, read from files, by', () => {
  test.each([
    [
      'verify',
      [
        '--request-file',
        planted.put(
          'http',
          `POST /api/v2/sale/1144 HTTP/1.1\nHost: gate.example\nContent-Type: application/x-www-form-urlencoded\n\n${body}`,
        ),
      ],
    ],
    ['verify', ['--request-file', planted.put('curl', `curl https://gate.example/api/v2/sale/1144 -d '${body}'`)]],
    [
      'verify',
      [
        '--request-file',
        planted.put(
          'oauth',
          `curl https://gate.example/api/v4/transfer/1144 -H 'Authorization: ${oauth}' -d '${body}'`,
        ),
      ],
    ],
    ['verify', ['--request-file', planted.put('cut', `POST ${card}\n${controlKey}`)]],
    ['diff', [...signed, '--theirs-signature', controlKey]],
    [
      'diff',
      [
        ...signed,
        '--theirs-base-string',
        planted.put(
          'base',
          `POST&https%3A%2F%2Fgate.example%2Fapi%2Fv4%2Ftransfer%2F1144&cvv2%3D${code}%26pan%3D${mistyped}`,
        ),
      ],
    ],
    ['diff', [...signed, '--theirs-base-string', planted.put('odd-base', `${card}&${controlKey}`)]],
    ['find-mistake', [...signed, '--signature', controlKey]],
  ])('sign %s %s', async (tool, flags) => {
    for (const more of [[], ['--json', '-vv']]) {
      const ran = await search(['sign', tool, ...flags, ...more], { home: shop(), outside: briefSearch });
      expect([2, 3, 11]).toContain(ran.exit);
    }
  });
});

test('every command is covered, and no other', () => {
  const tools = everyLeaf.map(({ path }) => path).filter((path) => !isOperation(path));
  expect(Object.keys(runs).sort()).toEqual(tools.sort());
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
  const tried = lines.map((argv, at) => ({ line: argv.slice(path.split(' ').length).join(' '), argv, at }));
  // Of a command with one line that one.
  test.each(tried.length === 1 ? tried : oneIn(2, tried, path.length))('$line', async ({ argv, at }) => {
    const home = await shopWithUnknownSale();
    for (const more of oneIn(2, [['-vv'], ['--json']], path.length + at)) {
      const ran = await search([...argv, ...more], {
        home,
        signal: 'SIGINT',
        outside: (usual) => briefSearch(network(statusRow, json(200)).outside(usual)),
      });
      expect(ran.exit, ran.err).not.toBe(1);
    }
  });
});
