import fc from 'fast-check';
import { expect, test } from 'vitest';
import { operations } from '../../src/spec/index.js';
import { anyText } from '../support/properties.js';
import { base, openFixture, plainHeaders } from './support.js';

const faults: unknown[] = [];
const fixture = openFixture({ onFault: (error) => faults.push(error) });

const path = fc.oneof(fc.string(), fc.constantFrom(...operations.map((row) => `${row.path}/4001`)));
const header = fc.oneof(
  fc.string(),
  fc.constantFrom(...Object.values(plainHeaders), 'OAuth a="b"', 'OAuth realm="x", oauth_nonce="%00"'),
);
const names = [
  ...new Set(operations.flatMap((row) => Object.values(row.fields).map((field) => field.wire))),
  'control',
  'oauth_nonce',
  '__proto__',
  'constructor',
];
const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .array(fc.tuple(fc.constantFrom(...names), anyText()), { maxLength: 12 })
    .map((pairs) =>
      Buffer.from(pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&')),
    ),
);

test('no request makes the sandbox fail', () => {
  const headers = fc.record({ accept: header, 'content-type': header, authorization: header }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.constantFrom('POST', 'GET', 'post', ''), path, headers, body, (method, tail, sent, bytes) => {
      const reply = fixture.sandbox.handle({ method, url: `${base}${tail}`, headers: sent, body: bytes });
      expect([400, 404]).toContain(reply.status);
      const record: unknown = JSON.parse(reply.body);
      expect(record).toMatchObject({
        type: expect.stringMatching(/error$/),
        'error-message': expect.any(String),
        'error-code': expect.any(String),
      });
    }),
    { numRuns: 60 },
  );
  expect(faults).toEqual([]);
});
