import { fail } from '../errors/index.js';
import { webAddress } from '../wire/address.js';
import type { ReadCallback } from './read.js';

/** Callbacks with this value in this field go to that address. */
export interface Route {
  readonly field: string;
  readonly value: string;
  readonly url: string;
}

/** Reads `type=reversal -> URL`. Throws USAGE. */
export function readRoute(text: string, command: string): Route {
  const {
    field = '',
    value = '',
    url = '',
  } = /^\s*(?<field>[A-Za-z_-]+)\s*=\s*(?<value>\S+)\s*->\s*(?<url>\S+)\s*$/.exec(text)?.groups ?? {};
  if (field === '') throw fail('USAGE', { why: '--route is written as "type=reversal -> http://127.0.0.1:3000/reversals"', command });
  return { field, value, url: readAddress(url, '--route', command) };
}

/** An address of a handler. Throws USAGE. */
export function readAddress(text: string, flag: string, command: string): string {
  const url = webAddress(text);
  if (url !== undefined && url.hash === '') return url.href;
  throw fail('USAGE', { why: `${flag} needs an http or https address such as http://127.0.0.1:3000/callback`, command });
}

/** Where a callback is forwarded to: by the first route that fits it, else to the address for all others. */
export function addressFor({ pairs }: ReadCallback, routes: readonly Route[], otherwise: string | undefined): string | undefined {
  const route = routes.find(({ field, value }) => pairs.some(([name, text]) => name === field && text === value));
  return route?.url ?? otherwise;
}
