import { spawnSync } from 'node:child_process';
import { createHash, createHmac, createSign, createVerify } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { assumeDefaults, type OperationId, operationById } from '../../src/spec/index.js';
import { checkRequest } from '../../src/wire/check-request.js';
import { baseString, cents, escaped, factOf, formText, type Pair } from '../conformance/signer.js';
import { facts } from '../spec/facts.js';
import { oneIn } from '../support/every.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { homeWithProfile } from './profiles.js';

interface Vector {
  readonly id: string;
  readonly operation: OperationId;
  readonly about: string;
  readonly assume: Readonly<Record<string, string>>;
  readonly scheme: 'control' | 'hmac-sha1' | 'rsa-sha256' | 'none';
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly login: string;
    readonly endpointId: string;
    readonly fields: readonly Pair[];
    readonly key: string;
    readonly amountInMinorUnits?: string;
    readonly nonce: string;
    readonly timestamp: string;
    readonly signatureMethod: string;
    readonly version: string;
  };
  readonly stages: {
    readonly slots: readonly Pair[];
    readonly string: string;
    readonly bytes: number;
    readonly encoding: string;
    readonly encoded: readonly Pair[];
    readonly sorted: readonly Pair[];
    readonly parts: Readonly<Record<string, string>>;
    readonly baseString: string;
    readonly signingKey?: string;
  };
  readonly result: {
    readonly control: string;
    readonly signature: string;
    readonly authorization: string;
    readonly body: string;
  };
  readonly wrong: readonly {
    readonly name: string;
    readonly variant: string;
    readonly control?: string;
    readonly signature?: string;
  }[];
}

interface Document {
  readonly schema: string;
  readonly seed: string;
  readonly keys: Readonly<Record<'uuid' | 'reserved' | 'rsa' | 'rsaPublic', string>>;
  readonly vectors: readonly Vector[];
}

// A folder that is not there: the command has no use for one.
async function printed(argv: readonly string[], home = '/nowhere'): Promise<string> {
  const ran = await paycli(['sign', 'vectors', ...argv], { home });
  expect([ran.exit, ran.err]).toEqual([0, '']);
  return ran.out;
}

let document: Document;
const all = (scheme: Vector['scheme']) => document.vectors.filter((vector) => vector.scheme === scheme);
const keyOf = ({ request }: Vector) => (request.key === 'reserved' ? document.keys.reserved : document.keys.uuid);

// All of them are made once: under the seed of an example in the help, which is run with it.
const seed = ['--seed', 'my-tests'];
beforeAll(async () => {
  document = JSON.parse(await printed(seed));
}, 60_000);

/** The recipes that assumptions give operations which the description shows unsigned (A09, A10). */
const assumedRecipes: Readonly<Record<string, readonly string[]>> = {
  CARDINFO: ['login', 'cardrefid'],
  PAYMENTFORM: ['endpointId', 'client_orderid', 'amount', 'email'],
  PAYOUTFORM: ['endpointId', 'client_orderid', 'amount', 'email'],
};

/** Every vector's result once more, by a signer that shares nothing with the program. */
function slotsOf({ operation, assume, request }: Vector): readonly Pair[] {
  const names = (Object.keys(assume).length === 0 ? factOf(operation).signed : assumedRecipes[operation]) ?? [];
  const values = new Map(request.fields);
  return names.map((name): Pair => {
    if (name === 'login') return [name, request.login];
    if (name === 'endpointId') return [name, request.endpointId];
    const value = values.get(name) ?? '';
    return [name, name === 'amount' && value !== '' ? cents(value, values.get('currency') ?? '') : value];
  });
}

function protocolOf({ request }: Vector): readonly Pair[] {
  return [
    ['oauth_consumer_key', request.login],
    ['oauth_nonce', request.nonce],
    ['oauth_signature_method', request.signatureMethod],
    ['oauth_timestamp', request.timestamp],
    ['oauth_version', '1.0'],
  ];
}

describe('right', () => {
  test('there are vectors of every operation, each under a name of its own', () => {
    expect(document).toMatchObject({ schema: 'paycli.vectors/1', seed: 'my-tests' });
    expect(new Set(document.vectors.map(({ operation }) => operation))).toEqual(new Set(facts.map(({ id }) => id)));
    expect(new Set(document.vectors.map(({ id }) => id)).size).toBe(document.vectors.length);
    for (const { operation, request } of document.vectors)
      expect(request.url).toBe(`https://gateway.example/prefix${factOf(operation).path}/${request.endpointId}`);
  });

  test('each request is one that the operation takes, but for what is said to be odd', () => {
    for (const { id, operation, assume, request } of document.vectors.filter((vector) => !vector.id.endsWith('/odd'))) {
      const row = operationById(operation);
      const values = Object.entries(row.fields).map(([key, { wire }]) => [
        key,
        new Map(request.fields).get(wire) ?? '',
      ]);
      const options = {
        assume: { ...assumeDefaults, ...assume },
        endpointId: request.endpointId,
        name: (key: string) => key,
      };
      expect([id, checkRequest(row, Object.fromEntries(values), options)]).toEqual([id, []]);
    }
  });

  test('each control is what the description says', () => {
    expect(all('control').length).toBeGreaterThan(30);
    for (const vector of all('control')) {
      const { id, request, stages, result } = vector;
      const slots = slotsOf(vector);
      const string = slots.map(([, value]) => value).join('');
      const control = createHash('sha1')
        .update(`${string}${keyOf(vector)}`)
        .digest('hex');
      expect({ id, ...stages }).toEqual({ id, slots, string, bytes: Buffer.byteLength(string), encoding: 'hex-lower' });
      expect(result).toEqual({ control, body: formText([...request.fields, ['control', control]]) });
    }
  });

  test.each([
    { scheme: 'hmac-sha1', method: 'HMAC-SHA1' },
    { scheme: 'rsa-sha256', method: 'RSA-SHA256' },
  ] as const)('each $method signature is what RFC 5849 says', ({ scheme, method }) => {
    expect(all(scheme).length).toBeGreaterThan(10);
    for (const vector of all(scheme)) {
      const { id, request, stages, result } = vector;
      expect([id, request.signatureMethod]).toEqual([id, method]);
      const base = baseString(request.url, [...request.fields, ...protocolOf(vector)]);
      const signingKey = `${escaped(keyOf(vector))}&`;
      const signature =
        scheme === 'hmac-sha1'
          ? createHmac('sha1', signingKey).update(base).digest('base64')
          : createSign('sha256').update(base).sign(document.keys.rsa, 'base64');
      if (scheme === 'rsa-sha256')
        expect(createVerify('sha256').update(base).verify(document.keys.rsaPublic, signature, 'base64')).toBe(true);
      else expect(stages.signingKey).toBe(signingKey);
      expect([id, stages.baseString]).toEqual([id, base]);
      expect(stages.sorted.map((pair) => pair.join('=')).join('&')).toBe(decodeURIComponent(base.split('&')[2] ?? ''));
      expect([...stages.encoded].map(String).sort()).toEqual([...stages.sorted].map(String).sort());
      const header = [...protocolOf(vector), ['oauth_signature', signature] as const].map(
        ([name, value]) => `${name}="${escaped(value)}"`,
      );
      expect(result).toEqual({
        signature,
        authorization: `OAuth ${header.join(', ')}`,
        body: formText(request.fields),
      });
    }
  });

  test('what carries no signature has a body all the same', () => {
    expect(new Set(all('none').map(({ operation }) => operation))).toEqual(
      new Set(['CARDINFO', 'PAYMENTFORM', 'PAYOUTFORM']),
    );
    for (const { request, result } of all('none')) expect(result).toEqual({ body: formText(request.fields) });
  });

  test('openssl agrees, one vector for each operation', { tags: 'openssl' }, () => {
    const chosen = [
      ...new Map(
        document.vectors.filter(({ scheme }) => scheme !== 'none').map((vector) => [vector.operation, vector]),
      ).values(),
    ];
    expect(chosen.length).toBe(25);
    const folder = temporaryHome();
    writeFileSync(join(folder, 'rsa.pem'), document.keys.rsa);
    const lines = chosen.map((vector, at) => {
      mkdirSync(join(folder, `${at}`));
      const signed = vector.scheme === 'control' ? `${vector.stages.string}${keyOf(vector)}` : vector.stages.baseString;
      writeFileSync(join(folder, `${at}/text`), signed);
      return {
        control: `openssl dgst -sha1 -r <${at}/text | cut -d ' ' -f 1`,
        'hmac-sha1': `openssl dgst -sha1 -hmac '${vector.stages.signingKey}' -binary <${at}/text | openssl base64 -A; echo`,
        'rsa-sha256': `openssl dgst -sha256 -sign rsa.pem <${at}/text | openssl base64 -A; echo`,
        none: '',
      }[vector.scheme];
    });
    const ran = spawnSync('sh', ['-euc', ['openssl pkey -in rsa.pem -noout -check', ...lines].join('\n')], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(ran.stderr).toBe('');
    const expected = chosen.map(({ result }) => result.control ?? result.signature);
    expect(ran.stdout.trim().split('\n')).toEqual(['Key is valid', ...expected]);
  });
});

describe('wrong', () => {
  // The lists of names that `sign find-mistake` gives.
  const controlNames =
    'order decimal-amount missing-email endpoint-login orderid-text amount-currency key-whitespace other-key upper-case base64 charset endpoint-group digest';
  const oauthNames =
    'reserved-characters space-plus encoded-twice-or-once body-left-out sort-order query-left-out signing-key scheme-host-port header-not-encoded empty-values not-utf8 repeated-or-nested-names nonce-timestamp rsa-key-or-method realm method digest';

  test('each neighbour differs from what is right, has a known name, and stands there once', () => {
    for (const { id, scheme, result, wrong = [] } of document.vectors) {
      const names = (scheme === 'control' ? controlNames : oauthNames).split(' ');
      expect([id, wrong.length > 20]).toEqual([id, scheme !== 'none']);
      expect(new Set(wrong.map(({ name, variant }) => `${name} ${variant}`)).size).toBe(wrong.length);
      // One comparison for them all: there are thousands.
      const right = result.control ?? result.signature;
      const isWrong = ({ name, control, signature = control }: Vector['wrong'][number]) =>
        names.includes(name) && typeof signature === 'string' && signature !== right;
      expect(wrong.filter((each) => !isWrong(each))).toEqual([]);
    }
  });

  test('together they show every mistake that a signature alone can show', () => {
    const shown = (scheme: Vector['scheme']) =>
      new Set(all(scheme).flatMap(({ wrong }) => wrong.map(({ name }) => name)));
    expect([...shown('control')].sort()).toEqual(controlNames.split(' ').sort());
    // The operations have no query, and what is wrong in a header alone leaves the signature right.
    const without = ['query-left-out', 'header-not-encoded'];
    for (const scheme of ['hmac-sha1', 'rsa-sha256'] as const) {
      const expected = oauthNames
        .split(' ')
        .filter((name) => !without.includes(name) && !(scheme === 'rsa-sha256' && name === 'signing-key'));
      expect([...shown(scheme)]).toEqual(expect.arrayContaining(expected));
    }
  });

  test('some by hand', () => {
    const sale = document.vectors.find(({ id }) => id === 'SALE/control/required');
    const payout = document.vectors.find(({ id }) => id === 'PAYOUT/hmac-sha1/full-1');
    if (sale === undefined || payout === undefined) throw new Error('no such vectors');
    const wrongOf = ({ wrong }: Vector, name: string) =>
      wrong.filter((each) => each.name === name).map((each) => each.control ?? each.signature);
    const sha1 = (...parts: string[]) => createHash('sha1').update(parts.join('')).digest('hex');
    const { amount = '', client_orderid: order = '', email = '' } = Object.fromEntries(sale.request.fields);
    const [endpoint, minor, key] = [sale.request.endpointId, sale.request.amountInMinorUnits ?? '', keyOf(sale)];
    expect(wrongOf(sale, 'decimal-amount')).toContain(sha1(endpoint, order, amount, email, key));
    expect(wrongOf(sale, 'missing-email')).toContain(sha1(endpoint, order, minor, key));
    expect(wrongOf(sale, 'key-whitespace')).toContain(sha1(endpoint, order, minor, email, key, '\n'));
    expect(wrongOf(sale, 'upper-case')).toContain(sale.result.control.toUpperCase());
    expect(wrongOf(sale, 'base64')).toContain(Buffer.from(sale.result.control, 'hex').toString('base64'));
    const hmac = (secret: string, base: string) => createHmac('sha1', secret).update(base).digest('base64');
    const base = payout.stages.baseString;
    expect(wrongOf(payout, 'signing-key')).toEqual(
      expect.arrayContaining([hmac(`${keyOf(payout)}&`, base), hmac(escaped(keyOf(payout)), base)]),
    );
    expect(wrongOf(payout, 'method')).toContain(hmac(`${escaped(keyOf(payout))}&`, base.replace(/^POST/, 'GET')));
    expect(wrongOf(payout, 'digest')).toContain(Buffer.from(payout.result.signature, 'base64').toString('hex'));
  });
});

test.each(['PAYOUT/hmac-sha1/full-1', 'PAYOUT/hmac-sha1/odd', 'TRANSFER_V4/rsa-sha256/odd'])(
  '%s: `sign find-mistake` gives each wrong signature its name',
  async (id) => {
    const home = temporaryHome();
    const vector = document.vectors.find((each) => each.id === id);
    if (vector === undefined) throw new Error(`no vector ${id}`);
    const { request, scheme, wrong } = vector;
    const file = (name: string, text: string) => {
      writeFileSync(join(home, name), text, { mode: 0o600 });
      return join(home, name);
    };
    const flags = [
      ...['--url', request.url, '--signature-method', request.signatureMethod, '--consumer-key', request.login],
      ...['--nonce', request.nonce, '--timestamp', request.timestamp],
      ...['--params-file', file('fields.json', JSON.stringify(request.fields))],
      ...['--key-file', file('key', scheme === 'rsa-sha256' ? document.keys.rsa : keyOf(vector))],
    ];
    const oneOfEach = new Map(wrong.map((each) => [each.name, each]));
    expect(oneOfEach.size).toBeGreaterThan(8);
    for (const { name, signature = '' } of oneIn(3, [...oneOfEach.values()], id.length)) {
      const ran = await paycli(['sign', 'find-mistake', ...flags, '--signature', signature, '--json'], { home });
      expect([name, ran.exit, JSON.parse(ran.err).code]).toEqual([name, 11, 'CHECK_FAILED']);
      const { mistakes } = JSON.parse(ran.out);
      expect(mistakes.map((mistake: { readonly name: string }) => mistake.name)).toContain(name);
    }
  },
);

describe('what is in them', () => {
  test.each([
    ["!*'()~", /!\*'\(\)~/],
    ['a plus sign', /\+/],
    ['%2B', /%2B/],
    ['an emoji', /😀/u],
    ['right-to-left text', /שלום/],
    ['blanks at both ends', /^ .* $/],
    ['nothing', /^$/],
    ['two lines', /\r\n/],
  ])('a value with %s, in both ways of OAuth', (_, pattern) => {
    for (const scheme of ['hmac-sha1', 'rsa-sha256'] as const)
      expect(all(scheme).some(({ request }) => request.fields.some(([, value]) => pattern.test(value)))).toBe(true);
  });

  test('equal names, and names that sort differently raw and encoded', () => {
    for (const { request, stages } of document.vectors.filter(({ id }) => id.endsWith('/odd'))) {
      expect(request.fields.filter(([name]) => name === 'repeated').map(([, value]) => value)).toEqual(['b', 'a', '']);
      expect(stages.sorted.filter(([name]) => name === 'repeated').map(([, value]) => value)).toEqual(['', 'a', 'b']);
      const names = stages.sorted.map(([name]) => name);
      expect(names.indexOf('c%40')).toBeLessThan(names.indexOf('c2'));
    }
  });

  test('card numbers are published test numbers', () => {
    const published = [
      '4444333322221111',
      '5555666644441111',
      '378282246310005',
      '4444000022224444',
      '4444000011118888',
    ];
    const numbers = document.vectors.flatMap(({ request }) =>
      request.fields.filter(([name]) => /card.*(?:number|no)$/.test(name)).map(([, value]) => value),
    );
    expect(numbers.length).toBeGreaterThan(20);
    expect(published).toEqual(expect.arrayContaining(numbers));
  });
});

describe('the seed', () => {
  test('the same one gives the same bytes, whatever profile there is; another one gives others throughout', async () => {
    const once = await printed(['sale'], homeWithProfile({ class: 'live' }));
    expect(await printed(['sale', '--json'])).toBe(once);
    const usual: Document = JSON.parse(once);
    const [first] = document.vectors;
    expect([usual.seed, usual.vectors[0]?.id]).toEqual(['paycli', first?.id]);
    expect(usual.keys.uuid).not.toBe(document.keys.uuid);
    expect(usual.keys.rsa).not.toBe(document.keys.rsa);
    expect(usual.vectors[0]?.request.fields).not.toEqual(first?.request.fields);
    expect(Object.keys(usual.vectors[0] ?? {})).toEqual(Object.keys(first ?? {}));
  });

  test('one operation alone has the vectors it has among all', async () => {
    const { vectors, keys }: Document = JSON.parse(await printed(['card-ref', 'info', ...seed]));
    expect(keys).toEqual(document.keys);
    expect(vectors).toEqual(document.vectors.filter(({ operation }) => operation === 'CARDINFO'));
  });
});

test('the help names the schema’s parts, and its examples run', { timeout: 60_000 }, async () => {
  const { out } = await paycli(['sign', 'vectors', '--help']);
  const parts = [document.keys, ...document.vectors.flatMap(({ request, stages = {} }) => [request, stages])].flatMap(
    Object.keys,
  );
  for (const part of ['scheme', 'assume', 'request', 'stages', 'result', 'wrong', ...new Set(parts)])
    expect(out).toMatch(new RegExp(`\\b${part}\\b`));
  const examples = [...out.matchAll(/^ {2}paycli sign vectors ?(.*)$/gm)].map(([, rest = '']) => rest.split(' '));
  expect(examples).toContainEqual(seed);
  const others = examples.filter((example) => example.join(' ') !== seed.join(' '));
  expect(others).not.toEqual([]);
  for (const example of others) expect(JSON.parse(await printed(example)).schema).toBe('paycli.vectors/1');
});

test('an operation that does not exist is refused, with the nearest one', async () => {
  const ran = await paycli(['sign', 'vectors', 'sael']);
  expect([ran.exit, ran.out]).toEqual([2, '']);
  expect(ran.err).toContain('did you mean sale?');
});
