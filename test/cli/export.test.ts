import { createHash, createHmac } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { openapiDocument } from '../../src/cli/commands/export/openapi.js';
import { postmanCollection } from '../../src/cli/commands/export/postman.js';
import { allOperations, assumeDefaults } from '../../src/spec/index.js';
import { schemaProblems } from '../support/json-schema.js';
import { paycli } from '../support/runtime.js';
import { homeWithProfile } from './profiles.js';

const document = openapiDocument(assumeDefaults, 'http://127.0.0.1:8484/gateway');
// biome-ignore lint/suspicious/noExplicitAny: walked as the JSON that it is.
const json: any = JSON.parse(JSON.stringify(document));
const operation = (path: string) => json.paths[`${path}/{endpointId}`].post;
const requestSchema = (path: string) => operation(path).requestBody.content['application/x-www-form-urlencoded'].schema;

describe('OpenAPI', () => {
  test('has all operations, and every reference leads somewhere', () => {
    expect(json.openapi).toBe('3.1.0');
    expect(Object.keys(json.paths)).toHaveLength(25);
    const ids = Object.values<{ post: { operationId: string } }>(json.paths).map(({ post }) => post.operationId);
    expect(new Set(ids).size).toBe(25);
    for (const [, ref = ''] of JSON.stringify(json).matchAll(/"\$ref":"#\/([^"]+)"/g))
      expect(
        ref.split('/').reduce((at, key) => at[key], json),
        ref,
      ).toBeTypeOf('object');
    for (const path of Object.keys(json.paths)) {
      expect(path).toMatch(/^\/api\/.+\/\{endpointId\}$/);
      const { properties, required } = requestSchema(path.replace('/{endpointId}', ''));
      for (const name of required) expect(properties, path).toHaveProperty([name]);
    }
  });

  const sale = {
    ...{ client_orderid: '902B4FF5', amount: '10.42', currency: 'USD', order_desc: 'Two cups' },
    ...{
      credit_card_number: '4444333322221111',
      card_printed_name: 'JANE DOE',
      expire_month: '12',
      expire_year: '2035',
    },
    ...{ cvv2: '123', email: 'jane@example.com', phone: '+4930123456', address1: 'Street 1', city: 'Berlin' },
    ...{ zip_code: '10115', country: 'DE', ipaddress: '192.0.2.1', redirect_url: 'https://shop.example/back' },
    control: '768eb8162fc361a3e14150ec46e9a6dd8fbfa483',
  };
  const payout = { client_orderid: '1', amount: '1.00', currency: 'EUR' };
  test.each<[what: string, path: string, values: Record<string, string>, isGood: boolean]>([
    ['a sale', '/api/v2/sale', sale, true],
    ['a sale without a checksum', '/api/v2/sale', { ...sale, control: '' }, false],
    ['a sale with an amount in words', '/api/v2/sale', { ...sale, amount: 'ten' }, false],
    ['an address in the USA without a state', '/api/v2/sale', { ...sale, country: 'US' }, false],
    ['an address in the USA with one', '/api/v2/sale', { ...sale, country: 'US', state: 'CA' }, true],
    ['a status by nothing', '/api/v2/status', { login: 'shop', control: sale.control }, false],
    ['a status by an order', '/api/v2/status', { login: 'shop', orderid: '17', control: sale.control }, true],
    [
      'an amount without its currency',
      '/api/v2/return',
      { login: 'shop', client_orderid: '1', orderid: '2', amount: '1', control: sale.control },
      false,
    ],
    ['a payout to nobody', '/api/v2/payout', payout, false],
    ['a payout to a card', '/api/v2/payout', { ...payout, credit_card_number: '4444333322221111' }, true],
    [
      'a payout to two',
      '/api/v2/payout',
      { ...payout, credit_card_number: '4444333322221111', 'destination-card-ref-id': '1' },
      false,
    ],
    [
      'a bank code without an account',
      '/api/v2/payout',
      { ...payout, credit_card_number: '4444333322221111', bank_code: '1' },
      false,
    ],
  ])('%s is good or not', (_, path, values, isGood) => {
    expect(schemaProblems(requestSchema(path), values).length === 0).toBe(isGood);
  });

  test('says how each is signed', () => {
    expect(operation('/api/v2/sale')['x-signature']).toMatchObject({
      scheme: 'control',
      values: ['endpointId', 'client_orderid', 'amount', 'email'],
    });
    expect(operation('/api/v2/capture')['x-signature'].values).toEqual([
      ...['login', 'client_orderid', 'orderid', 'amount', 'currency'],
    ]);
    expect(operation('/api/v2/payout')).toMatchObject({
      'x-signature': { method: 'HMAC-SHA1' },
      security: [{ oauth: [] }],
    });
    expect(operation('/api/v4/transfer')['x-signature']).toMatchObject({ method: 'RSA-SHA256' });
  });

  test('is printed for a profile, with its address and its assumptions', async () => {
    const home = homeWithProfile({ more: ['assume: { control-encoding: base64 }'] });
    const printed = JSON.parse((await paycli(['export', 'openapi', '--profile', 'shop'], { home })).out);
    expect(printed.servers).toEqual([{ url: 'https://gate.example/prefix' }]);
    expect(printed['x-assumptions']['control-encoding']).toBe('base64');
    const environment = JSON.parse(
      (await paycli(['export', 'postman', '--environment', '--profile', 'shop'], { home })).out,
    );
    expect(environment.values).toMatchObject([
      { key: 'base_url', value: 'https://gate.example/prefix' },
      { key: 'login', value: 'my-shop' },
      { key: 'endpoint_id', value: '1144' },
      { key: 'control_key', value: '', type: 'secret' },
    ]);
  });
});

describe('Postman', () => {
  const { item: folders, event } = postmanCollection(assumeDefaults);
  const items = folders.flatMap(({ item }) => item);

  test('has a request for every operation', () => {
    expect(new Set(items.map(({ name }) => name))).toEqual(new Set(allOperations.map(({ command }) => command)));
  });

  /** What the script sets for a request, in a world as Postman gives it. */
  function signed(name: string, values: Readonly<Record<string, string>>) {
    const settings: Record<string, string> = {
      ...{ base_url: 'https://gateway.example/pay', login: 'shop', endpoint_id: '7001', control_key: 'k/e y' },
      ...values,
    };
    const replaceIn = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => settings[key] ?? '');
    const { request } = items.find((each) => each.name === name) ?? expect.unreachable();
    const given = request.body.urlencoded
      .filter(({ key }) => values[key] !== undefined)
      .map(({ key }) => ({ key, value: values[key], disabled: false }));
    const pm = {
      info: { requestName: name },
      request: { url: request.url.raw, body: { urlencoded: { all: () => given } } },
      variables: {
        ...{ get: (key: string) => settings[key], replaceIn },
        set: (key: string, value: string) => {
          settings[key] = value;
        },
      },
    };
    const hashes = {
      SHA1: (text: string) => createHash('sha1').update(text).digest('hex'),
      HmacSHA1: (text: string, key: string) => createHmac('sha1', key).update(text).digest('base64'),
      enc: { Base64: { stringify: (text: string) => text } },
      lib: { WordArray: { random: () => 'n1' } },
    };
    const at = event.find(({ listen }) => listen === 'prerequest')?.script.exec.join('\n') ?? '';
    runInContext(
      at,
      createContext({
        pm,
        require: () => hashes,
        Date: class extends Date {
          static override now = () => 1_700_000_000_000;
        },
      }),
    );
    return settings;
  }

  // printf %s 700117104210jane@example.comk/e y | openssl sha1
  test('the script makes the checksum, with the amount in minor units', () => {
    const values = { client_orderid: '17', amount: '1042.10', currency: 'USD', email: 'jane@example.com' };
    expect(signed('sale', values)['control']).toBe('0d654d137ffbc16b2cce34043bb7532d391d89c3');
    expect(signed('sale', { ...values, amount: '104210', currency: 'JPY' })['control']).toBe(
      '0d654d137ffbc16b2cce34043bb7532d391d89c3',
    );
  });

  test('the script makes the OAuth header, whose signature is that of openssl', () => {
    const header = signed('payout send', { client_orderid: '17', order_desc: "a+b&c'" })['authorization'];
    expect(header).toMatch(/^OAuth oauth_consumer_key="shop", oauth_nonce="n1", .*oauth_timestamp="1700000000"/);
    expect(header).toContain('oauth_signature="3MVlo6n21YqLwP1SBl13m4e%2F44A%3D"');
  });
});
