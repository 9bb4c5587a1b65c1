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

const spaced = card.replace(/(.{4})(?=.)/g, '$1 ');
const cresOf = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
const rows = (...lines: readonly string[]) => `${lines.join('\n')}\n`;

/** What words of the command lines stand for. */
const words: Readonly<Record<string, string>> = {
  CARD: card,
  CODE: code,
  KEY: controlKey,
  ...{ RSA: planted.rsa, LOCKED: planted.locked, PHRASE: planted.phrase, WEAK: planted.weak, KEYFILE: planted.key },
  CARDFILE: planted.card,
  INPUT: planted.put('input.json', JSON.stringify({ pan: card, cvv2: code })),
  ODDINPUT: planted.put('odd.json', JSON.stringify({ [card]: code, amount: card })),
  CUTINPUT: planted.put('cut.json', `{"cvv2":"${code}","pan":"${card}`),
  CRES: cresOf({ messageType: 'CRes', acctNumber: card, note: [spaced] }),
  PAREQ: deflateSync(
    `<ThreeDSecure><Message><PAReq><CH><acctID>${card}</acctID></CH></PAReq></Message></ThreeDSecure>`,
  ).toString('base64'),
  BATCH: planted.put(
    'batch.csv',
    rows('client_orderid,amount,currency,card_number', `a-1,1.00,EUR,${card}`, `a-2,1.00,EUR,${mistyped}`),
  ),
  CVVBATCH: planted.put(
    'cvv.csv',
    rows('client_orderid,amount,currency,card_number,cvv2', `a-1,1.00,EUR,${card},${code}`),
  ),
  ODDBATCH: planted.put('odd.csv', rows(`${card},${controlKey}`, `${spaced},"${code}`)),
  STATEMENT: planted.put('statement.csv', rows('orderid,amount,currency,note', `${card},1.00,EUR,${controlKey}`)),
  AS: '--operation payout --expect-count 2 --expect-total EUR=2.00',
};

/** Command lines with secrets wherever one fits. */
const runs = `
request /api/v2/sale --field credit_card_number=CARD --field cvv2=CODE --dry-run
request /api/v9/new --scheme none --dry-run --input INPUT
request /api/v2/sale --dry-run --input ODDINPUT
request /api/v2/sale --dry-run --input CUTINPUT
keys inspect RSA
keys inspect LOCKED --passphrase-file PHRASE
keys inspect WEAK
keys inspect KEYFILE
keys inspect LOCKED --passphrase-file KEYFILE --no-input
keys convert RSA --to pkcs1 --out a.pem
keys convert LOCKED --passphrase-file PHRASE --decrypt --out b.pem
support id-1 --out b.json
support CARD
certify --list
certify --only CARD -- true
sandbox merchant CARDCARD
sandbox pay CARD
sandbox pay http://127.0.0.1:8484/gateway/pages/form/CARD
sandbox log
3ds decode KEY
3ds decode CRES
3ds decode PAREQ
resolve
resolve id-1
journal
journal id-1
callback verify status=approved&orderid=12345&client_orderid=id-1&error-message=CARD&cvv2=CODE&control=KEY
callback verify @CARDFILE
callback send --client-order-id id-1 --to http://127.0.0.1:1/
init --class sandbox
init --name CARD --login CARD --endpoint CARD=CARD --max-amount CARD --no-input
init --name three --base-url https://x:KEY@x.example --endpoint-id KEY
init --name four --class test --base-url https://four.example --login my-shop --endpoint-id 4001 --control-key-file KEYFILE --private-key-file KEYFILE --passphrase-file PHRASE --no-check
profile show
profile show CARD
profile set shop control-key=KEY KEY CARD
profile set shop --assume CARD=x --login CARD
profile set shop --login KEY --endpoint CARD=4001 --max-amount CARD
profile set CARD --login x
profile set-key shop control --file KEYFILE --live
profile set-key shop private --file KEYFILE --passphrase-file PHRASE --unchecked
profile set-key shop CARD --file KEY
profile set-key CARD control --file KEY --unchecked
orders CARD
orders --card CARD
orders --status CARD --amount CARD --since CARD --operation CARD --limit CARD
order --client-order-id id-1
order id-1 --timeline
order --can capture --client-order-id id-1
order --can CARD --client-order-id id-1
doctor
doctor --control-key-file LOCKED --private-key-file KEYFILE
batch plan BATCH AS
batch plan BATCH AS --allow-pan-file
batch plan CVVBATCH AS
batch plan ODDBATCH AS
batch run CARD
batch pause CARD --reason KEY
batch reconcile STATEMENT`
  .trim()
  .split('\n');

/** The longer of two words first: CARDFILE is no card. */
const names = Object.keys(words).sort((one, other) => other.length - one.length);
const filledIn = (line: string) =>
  line
    .split(' ')
    .flatMap((each) =>
      each === 'AS'
        ? (words['AS'] ?? '').split(' ')
        : each.replace(new RegExp(names.join('|'), 'g'), (name) => words[name] ?? ''),
    );

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
  const sale =
    'sale --amount 10.42 --currency USD --client-order-id id-1 --input CARDFILE --order-desc x --email a@b.example --phone +4930123456 --address1 x --city x --zip-code 1 --country DE --ip-address 192.0.2.1 --redirect-url https://x.example/';
  const lost = await search(filledIn(sale), {
    home,
    outside: network(statusRow, endings[4]?.[1] ?? json(200)).outside,
  });
  expect(lost.exit, lost.err).toBe(8);
  return home;
});

test.each(runs)('paycli %s', async (line) => {
  const home = await shopWithUnknownSale();
  const ran = await search([...filledIn(line), runs.indexOf(line) % 2 === 0 ? '-vv' : '--json'], {
    home,
    signal: 'SIGINT',
    outside: (usual) => outOfTime(network(statusRow, json(200)).outside(usual)),
  });
  expect(ran.exit, ran.err).not.toBe(1);
});
