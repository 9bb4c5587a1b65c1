import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { audit } from '../../src/sandbox/audit/report.js';
import { payouts } from '../batch/command.js';
import { type ListeningSandbox, openListeningSandbox } from './listening-sandbox.js';
import { creqOf, cres } from './orders.js';
import { controlKey } from './profiles.js';

/** What words of the lines below stand for. */
const words: Readonly<Record<string, string>> = {
  MONEY: '--amount 10.42 --currency USD',
  CARD: '--test-card approved',
  PAYER:
    '--order-desc x --email jane@example.com --phone +4930123456 --address1 Street --city Berlin --zip-code 10115 --country DE --ip-address 192.0.2.10',
  BANK: '--account-number 12345678901234567890 --bank-name Bank --bank-branch Main',
};

/** What earlier replies named, for the words of later lines. */
interface Seen {
  readonly [word: string]: string;
}

interface Replied {
  readonly order?: { readonly orderId?: string };
  readonly result?: Readonly<Record<string, string>>;
  readonly plan?: string;
}

function seenIn({ order, result = {}, plan }: Replied): Seen {
  const creq = result['tds-creq-form-creq'];
  const words = {
    '@': order?.orderId,
    '@ref': result['card-ref-id'],
    '@plan': plan,
    '@page': result['redirect-url'],
    '@creq': creq,
    '@cres': creq === undefined ? undefined : cres(creqOf(result)),
    '@tds': result['tds-method-url-frame-3ds-server-trans-id'],
    '@pares': deflateSync(paRes).toString('base64'),
  };
  return Object.fromEntries(
    Object.entries(words).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const paRes = '<ThreeDSecure><Message><PARes><TX><status>Y</status></TX></PARes></Message></ThreeDSecure>';

/** Runs what comes before a command, and the command: `@` stands for the order id that the last reply named. */
async function walk(sandbox: ListeningSandbox, lines: readonly string[]): Promise<void> {
  writeFileSync(join(sandbox.home, 'payouts.csv'), payouts(2), { mode: 0o600 });
  writeFileSync(join(sandbox.home, 'fields.key'), `${controlKey}\n`, { mode: 0o600 });
  let seen: Seen = {};
  for (const line of lines) {
    const argv = line.replace(/[A-Z]{4,}/g, (word) => words[word] ?? word).split(' ');
    const ran = await sandbox.run([...argv.map((word) => seen[word] ?? word), '--json']);
    expect(ran.exit, `${line}\n${ran.err}${ran.out}`).toBeOneOf([0, 6, 7]);
    const [first = ''] = ran.out.trim().split('\n');
    const replied: Replied = JSON.parse(first.startsWith('{"') ? first : ran.out || '{}');
    seen = { ...seen, ...seenIn(replied) };
  }
}

const sale = 'sale MONEY CARD PAYER --client-order-id s';
const saleWith = (card: string) => `sale MONEY --test-card ${card} PAYER --client-order-id s --wait`;
const hold = 'preauth MONEY CARD PAYER --client-order-id h --wait';
const check = 'payout check MONEY BANK --client-order-id p --wait';
const kept = [`${sale} --wait`, 'card-ref create @ --client-order-id s'];
const page = 'form sale MONEY PAYER --client-order-id f';
const plan = 'batch plan payouts.csv --operation payout --expect-count 2 --expect-total EUR=20.84';

/** The last line of each is the command that is meant; the others come before it. */
const commands: readonly (readonly string[])[] = [
  [sale],
  [saleWith('slow')],
  [hold],
  [hold, 'capture @ --client-order-id h --all --wait'],
  [hold, 'void @ --client-order-id h --wait'],
  [`${sale} --wait`, 'return @ --client-order-id s --all --wait'],
  [sale, 'status @'],
  [sale, 'status @ --wait'],
  ['account-verification CARD PAYER --client-order-id v --wait'],
  ['payout send MONEY BANK --client-order-id p --wait'],
  [check],
  [check, 'payout pay @ --client-order-id p --wait'],
  ['transfer MONEY CARD --destination-card-number 5555666644441111 --ip-address 192.0.2.1 --client-order-id t --wait'],
  kept,
  [`${sale} --wait`, 'card-ref create @ --client-order-id s --api v4'],
  [...kept, 'card-ref info --card-ref-id @ref'],
  [...kept, 'rebill MONEY --card-ref-id @ref --order-desc x --ip-address 192.0.2.1 --client-order-id r --wait'],
  [
    'recurring --recurring-card-type SRC CARD MONEY --first-name Jane --last-name Doe --email jane@example.com --address1 Street --city Berlin --zip-code 10115 --country DE --client-order-id c',
  ],
  [...kept, 'pan-eligibility --sending-card-ref-id @ref --client-order-id e --wait'],
  [sale, 'resolve'],
  [page],
  ...['preauth', 'payment'].map((form) => [`form ${form} MONEY PAYER --client-order-id f`]),
  ['form payout MONEY --client-order-id f'],
  ['form account-verification PAYER --client-order-id f'],
  [saleWith('3ds-method'), 'upload-3ds method @ --client-order-id s --tds-server-trans-id @tds --tds-comp-ind N'],
  [saleWith('3ds-challenge'), 'upload-3ds cres @ --client-order-id s --c-res @cres'],
  [saleWith('3ds-pares'), 'upload-3ds pares @ --client-order-id s --pa-res @pares'],
  [sale, 'request /api/v2/status --field client_orderid=s'],
  ['profile set-key shop control --file fields.key'],
  [plan, 'batch run @plan --rate 1000/s'],
  [sale, 'callback listen --timeout 5'],
];

describe('after a command of paycli, the audit report of a sandbox that listens is empty', () => {
  test.each(commands.map((lines) => [lines.at(-1), lines] as const))('%s', async (_, lines) => {
    const sandbox = openListeningSandbox();
    await walk(sandbox, lines);
    expect(
      audit(sandbox.sandboxState.store).map(({ rule, detail, request }) => `${rule}: ${detail} (${request?.line})`),
    ).toEqual([]);
  });
});
