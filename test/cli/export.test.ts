import { createHash, createHmac } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { openapiDocument } from '../../src/cli/commands/export/openapi.js';
import { postmanCollection } from '../../src/cli/commands/export/postman.js';
import { allOperations, assumeDefaults } from '../../src/spec/index.js';
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

  test('is printed for a profile, with its address and its assumptions', async () => {
    const home = homeWithProfile({ more: ['assume: { control-encoding: base64 }'] });
    const printed = JSON.parse((await paycli(['export', 'openapi', '--profile', 'shop'], { home })).out);
    expect(printed.servers).toEqual([{ url: 'https://gate.example/prefix' }]);
    expect(printed['x-assumptions']['control-encoding']).toBe('base64');
    const words = ['export', 'postman', '--environment', '--profile', 'shop'];
    const environment = JSON.parse((await paycli(words, { home })).out);
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
