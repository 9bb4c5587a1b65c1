import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { allOperations, type Operation } from '../../src/spec/index.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { cardRef, creqOf, cres, json, type Names, order, preauth, sale } from './orders.js';

/** What stands behind the names an example uses, made anew for it. */
async function namesFor(row: Operation, home: string): Promise<Names> {
  switch (row.id) {
    case 'CAPTURE':
    case 'VOID':
      return preauth(home).then(named);
    case 'RETURN':
    case 'STATUS':
    case 'CARDREF':
    case 'CARDREF_V4':
      return sale(home).then(named);
    case 'PAYOUT_V4_PAY':
      return named(
        await order(home, 'payout check --amount 50.00 --currency EUR --card-number 4444333322221111'.split(' ')),
      );
    case 'CARDINFO':
    case 'REBILL':
    case 'PAN_ELIGIBILITY_SEND':
      return { CARD: await cardRef(home) };
    case 'TDS_UPLOAD_CRES_RESULT': {
      const made = await order(
        home,
        ['sale', '--amount', '10.42', '--currency', 'USD', '--test-card', '3ds-challenge'],
        7,
      );
      return {
        ...named(made),
        CRES: cres(creqOf(await json(home, ['status', made.ORDER, '--client-order-id', made.ID]))),
      };
    }
    case 'TDS_UPLOAD_METHOD_URL_RESULT': {
      const made = await order(
        home,
        ['sale', '--amount', '10.42', '--currency', 'USD', '--test-card', '3ds-method'],
        7,
      );
      return { ...named(made), TDS: made.reply['tds-method-url-frame-3ds-server-trans-id'] ?? '' };
    }
    case 'TDS_UPLOAD_PARES_RESULT': {
      const made = await order(home, ['sale', '--amount', '1.00', '--currency', 'USD', '--test-card', 'approved'], 7);
      return {
        ...named(made),
        PARES: deflateSync(
          '<ThreeDSecure><Message><PARes><TX><status>Y</status></TX></PARes></Message></ThreeDSecure>',
        ).toString('base64'),
      };
    }
    default:
      return {};
  }
}

function named({ ORDER, ID }: { ORDER: string; ID: string }): Names {
  return { ORDER, ID };
}

/** The words a shell makes of an example: names filled in, double quotes taken off. */
function words(line: string, names: Names): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) =>
    (quoted ?? bare ?? '').replace(/\$([A-Z]+)/g, (_, name: string) => names[name] ?? `unset ${name}`),
  );
}

describe.each(allOperations.map((row, at) => ({ command: row.command, row, at })))('$command', ({ row }) => {
  test.each(row.examples.map((line) => ({ line })))('paycli $line', async ({ line }) => {
    const home = temporaryHome();
    const argv = words(line, await namesFor(row, home));
    expect(argv.join(' ')).not.toContain('unset');
    const ran = await paycli(argv, { home });
    expect(ran.exit, ran.err + ran.out).toBe(0);
    expect(ran.out).toMatch(line.includes('--json') ? /"ok": true/ : /✓|!/);
  });
});
