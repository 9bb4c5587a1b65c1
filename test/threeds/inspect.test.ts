import { deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inspect } from '../../src/threeds/inspect.js';
import {
  encodeChallengeRequest,
  encodeChallengeResponse,
  encodePayerRequest,
  encodePayerResponse,
} from '../../src/threeds/messages.js';

const tdsId = '8a880dc0-d2d2-4067-bcb1-b08d1690b26e';
const acsId = '1b5f0d2c-6a41-4a53-9f4e-0a2f3f8f7c11';
const cres = {
  messageType: 'CRes',
  messageVersion: '2.2.0',
  threeDSServerTransID: tdsId,
  acsTransID: acsId,
  challengeCompletionInd: 'Y',
  transStatus: 'Y',
};
const json = (message: object) => Buffer.from(JSON.stringify(message));
const pares =
  '<ThreeDSecure><Message id="1"><PARes><version>1.0.2</version><TX><status>Y</status><eci>05</eci></TX></PARes></Message></ThreeDSecure>';

describe('how a message is wrapped', () => {
  const text = json({ ...cres, note: '>>>???' });
  test.each([
    ['base64url', text.toString('base64url'), 'base64url'],
    ['Base64 with padding', text.toString('base64'), 'base64'],
    ['Base64 without its padding', text.toString('base64').replace(/=+$/, ''), 'base64'],
  ])('%s', (_, given, variant) => {
    expect(inspect(given)).toMatchObject({ kind: 'CRes', variant, content: 'json', packing: 'none', wrong: [] });
  });

  test.each([
    ['zlib', deflateSync(pares), []],
    ['raw deflate', deflateRawSync(pares), ['must be deflated with a zlib head']],
    ['none', Buffer.from(pares), ['must be deflated with a zlib head']],
  ])('XML packed as %s', (packing, bytes, wrong) => {
    const found = inspect(bytes.toString('base64'));
    expect(found).toMatchObject({ kind: 'PaRes', packing, fields: { status: 'Y', eci: '05' } });
    expect(found.wrong).toEqual(wrong.map((words) => expect.stringContaining(words)));
  });

  test('with the field name in front, and percent-encoded', () => {
    const found = inspect(`PaRes=${encodeURIComponent(deflateSync(pares).toString('base64'))}`);
    expect([found.kind, found.wrong]).toEqual(['PaRes', []]);
  });

  test.each([['hello!'], [''], ['aGVsbG8='], ['{}'], [JSON.stringify(cres)], [pares]])('%s is wrong', (given) => {
    expect(inspect(given).wrong.length).toBeGreaterThan(0);
  });
});

describe('what is in it', () => {
  test.each([
    ['a missing id', { ...cres, acsTransID: undefined }, 'acsTransID is missing'],
    ['an odd status', { ...cres, transStatus: 'Q' }, 'transStatus must be Y or N'],
    ['an old version', { ...cres, messageVersion: '1.0' }, 'messageVersion must be 2.1.0, 2.2.0 or 2.3.1'],
    ['an unknown type', { ...cres, messageType: 'ARes' }, 'it is not a 3-D Secure message'],
  ])('%s', (_, message, words) => {
    expect(inspect(json(message).toString('base64url')).wrong).toEqual([expect.stringContaining(words)]);
  });

  test('method data and its notification', () => {
    const data = { threeDSServerTransID: tdsId, threeDSMethodNotificationURL: 'https://shop.example/n' };
    expect(inspect(json(data).toString('base64url'))).toMatchObject({ kind: 'method data', wrong: [] });
    expect(inspect(json({ threeDSServerTransID: tdsId }).toString('base64url'))).toMatchObject({
      kind: 'method notification',
      wrong: [],
    });
  });
});

test('what this side writes has no fault', () => {
  const purchase = { orderId: '17', amountMinor: '1042', digits: 2 };
  const messages = [
    encodeChallengeRequest({ tdsId, acsId }),
    encodeChallengeResponse({ tdsId, acsId, transStatus: 'N', cancel: '01' }),
    encodePayerRequest(purchase),
    encodePayerResponse({
      ...purchase,
      status: 'Y',
      eci: '05',
      cavv: Buffer.alloc(20, 7).toString('base64'),
      at: Date.UTC(2030, 0, 7),
    }),
  ];
  expect(messages.map((text) => inspect(text)).map(({ kind, wrong }) => ({ kind, wrong }))).toEqual(
    ['CReq', 'CRes', 'PaReq', 'PaRes'].map((kind) => ({ kind, wrong: [] })),
  );
});
