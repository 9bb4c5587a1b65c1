import { describe, expect, test } from 'vitest';
import type { OperationId } from '../../src/spec/index.js';
import { aroundGood } from './refusals.js';
import { openShop } from './shop.js';
import { posted, withHeader } from './signer.js';
import type { Open } from './target.js';

/** What is asked of the frame of a request does not depend on the operation. */
export function envelopeCases(open: Open, some: readonly OperationId[]): void {
  const shop = openShop(open);
  for (const id of some) {
    aroundGood(id, shop, (prepared) => {
      test.each([
        undefined,
        '',
        '*/*',
        'application/json',
        'application/vnd.pay+json; charset=utf-8',
        'application/vnd.pay+json, */*',
      ])('refuses Accept %j', async (accept) => {
        const draft = withHeader(shop().draft(id, prepared().values), 'Accept', accept);
        await shop().refused(draft, /^the header Accept must be exactly application\/vnd\.pay\+json/);
      });

      test.each([undefined, 'application/json', 'application/x-www-form-urlencoded-too'])(
        'refuses Content-Type %j',
        async (contentType) => {
          const draft = withHeader(shop().draft(id, prepared().values), 'Content-Type', contentType);
          await shop().refused(draft, /^the header Content-Type must be application\/x-www-form-urlencoded$/);
        },
      );

      test.each([
        ['Content-Encoding', 'gzip'],
        ['Content-Type', 'application/x-www-form-urlencoded; charset=iso-8859-1'],
      ])('refuses %s: %s', async (name, value) => {
        await shop().refused(withHeader(shop().draft(id, prepared().values), name, value), /^the body must be plain/);
      });

      test.each(['GET', 'PUT'])('refuses the method %s', async (method) => {
        const draft = { ...shop().draft(id, prepared().values), method };
        await shop().refused(draft, new RegExp(`^every operation is a POST; this was ${method}$`));
      });

      test.each(['text', '0', '9223372036854775808', '07001', '%37001', ''])(
        'refuses the endpoint id %j',
        async (endpointId) => {
          const draft = shop().draft(id, prepared().values, { endpointId });
          await shop().refused(draft, /(?:^|; )use a whole number above zero that fits 64 bits/);
        },
      );

      test.each(['9223372036854775807'])('refuses the endpoint id %s, which nobody has', async (endpointId) => {
        const draft = shop().draft(id, prepared().values, { endpointId });
        await shop().refused(draft, new RegExp(`^end point with id ${endpointId} not found`));
      });

      test.each([
        ['another last letter', (path: string) => path.replace(/\/(\d+)$/, 'x/$1')],
        ['no endpoint id', (path: string) => path.replace(/\/\d+$/, '')],
        ['a slash at its end', (path: string) => `${path}/`],
        ['capital letters', (path: string) => path.toUpperCase()],
        ['an escaped letter', (path: string) => path.replace('/api', '/%61pi')],
        ['dots', (path: string) => path.replace('/api/', '/api/x/../')],
      ])('refuses its path with %s', async (_, spoil) => {
        const draft = shop().draft(id, prepared().values);
        const { status, fields } = await shop().send({ ...draft, path: spoil(draft.path) });
        // Only a slash at the end leaves a path that is an operation's, with an empty endpoint id or another one behind
        // it.
        expect(fields['error-message']).toMatch(
          /^(?:unknown operation path|this path is not part|the path ends with the endpoint id)/,
        );
        expect(status).toBe(404);
      });

      test('refuses fields in the query', async () => {
        const draft = shop().draft(id, prepared().values);
        await shop().refused({ ...draft, path: `${draft.path}?amount=1` }, /(?:^|; )the address must not have a query/);
        await shop().refused({ ...draft, path: `${draft.path}?` }, /(?:^|; )the address must not have a query/);
      });

      test('refuses an empty body', async () => {
        await shop().refused({ ...shop().draft(id, prepared().values), pairs: [] }, / is missing|at least one of/);
      });

      test.each([
        ['a cut escape', '%', /a % is not followed by two hexadecimal digits/],
        ['bytes that are not UTF-8', '%ff%fe', /its bytes are not UTF-8/],
        ['an overlong slash', '%c0%af', /its bytes are not UTF-8/],
      ])('refuses %s in the body', async (_, text, reason) => {
        const request = posted(shop().draft(id, prepared().values));
        for (const body of [`${request.body}&x=${text}`, `${request.body}&${text}=x`]) {
          const { status, fields } = await shop().post({ ...request, body });
          expect(fields['error-message']).toMatch(reason);
          expect([status, fields['type']]).toEqual([400, 'validation-error']);
        }
      });
    });
  }

  describe('a path outside the interface', () => {
    test.each(['/', '/api/v2', '/api/v2/refund/7001', '/api/v2/__proto__/7001'])('%s is unknown', async (path) => {
      const draft = shop().draft('SALE', {});
      await shop().refused({ ...draft, path }, /unknown operation path|not part of this interface/, { status: 404 });
    });
  });
}
