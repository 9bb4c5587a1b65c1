import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { plainExample } from '../../src/cli/core/examples.js';
import { allOperations, type Operation } from '../../src/spec/index.js';
import { oneIn } from '../support/every.js';
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
        await order(home, [
          'payout',
          'check',
          '--amount',
          '50.00',
          '--currency',
          'EUR',
          '--card-number',
          '4444333322221111',
        ]),
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

describe.each(allOperations.map((row, at) => ({ command: row.command, row, at })))('$command', ({ row, at }) => {
  test('has examples', () => {
    expect(row.examples.length).toBeGreaterThan(0);
  });

  test.each(row.examples.map((line) => ({ line })))('paycli $line', async ({ line }) => {
    const home = temporaryHome();
    const argv = words(line, await namesFor(row, home));
    expect(argv.join(' ')).not.toContain('unset');
    const ran = await paycli(argv, { home });
    expect(ran.exit, ran.err + ran.out).toBe(0);
    expect(ran.out).toMatch(line.includes('--json') ? /"ok": true/ : /✓|!/);
  });

  test('its example can be signed without sending', async () => {
    const home = temporaryHome();
    const [line = ''] = row.examples;
    const argv = words(line, await namesFor(row, home)).filter((word) => word !== '--wait');
    const ran = await paycli(['sign', ...argv, '--explain'], { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.out).toMatch(/control\b|Base string|none: no signature is documented/);
  });

  test.each(oneIn(3, [['verify'], ['diff'], ['find-mistake']], at))(
    'its example of sign %s, with what it is asked about filled in',
    async (tool) => {
      const home = temporaryHome();
      const names = { ID: 'an-order', ...(await namesFor(row, home)) };
      const [line] = helpExamples((await paycli(['sign', tool, ...row.command.split(' '), '--help'], { home })).out);
      const plain = words(plainExample(row), names);
      const order = row.opens ? ['--client-order-id', names.ID] : [];
      const signed = await paycli(['sign', ...plain, ...order, '--json'], { home });
      const { signature } = JSON.parse(signed.out);
      if (signature.scheme === 'none') expect(line).toBeUndefined();
      else {
        const ran = await paycli(words(line ?? '', { ...names, ...made(signature) }), { home });
        expect(ran.exit, ran.err + ran.out).toBe(0);
        expect(ran.out).toMatch(/^✓ the (control|signature) matches/);
      }
    },
  );
});

/** What an example may be asked about: the control or the signature of a request, with its nonce and time. */
function made(stages: {
  readonly digest?: string;
  readonly signature?: string;
  readonly encoded?: readonly [string, string][];
}): Names {
  const { oauth_nonce: NONCE = '', oauth_timestamp: TIMESTAMP = '' } = Object.fromEntries(stages.encoded ?? []);
  return { CONTROL: stages.digest ?? '', SIGNATURE: stages.signature ?? '', NONCE, TIMESTAMP };
}

function helpExamples(help: string): string[] {
  return [...help.matchAll(/^ {2}paycli (.*(?:\n(?! {2}paycli)(?!$).*)*)/gm)].map(([, line = '']) =>
    line.replace(/\\?\n/g, ' '),
  );
}
