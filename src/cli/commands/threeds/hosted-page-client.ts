import { fail } from '../../../errors/index.js';
import { defaultLimits } from '../../../payments/exchange.js';
import type { Transport } from '../../../runtime/ports.js';
import { isLoopback, webAddress } from '../../../wire/address.js';
import { encodeForm } from '../../../wire/form.js';

export interface WebPage {
  readonly url: string;
  readonly status: number;
  readonly html: string;
  /** True when the page asks to be reloaded. */
  readonly isWaiting: boolean;
}

const maxRedirects = 5;

/** Opens pages of a sandbox on this machine, like a browser without scripts. */
export class HostedPageClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Opens a page and follows redirects; posts if there are fields. Throws READ_FAILED, and USAGE for an address on
   * another machine.
   */
  async open(url: string, fields?: Readonly<Record<string, string>>, redirects = 0): Promise<WebPage> {
    if (!isLocalPage(url))
      throw fail('USAGE', { why: 'only pages of a sandbox on this machine are filled in', command: 'form fill' });
    const headers = {
      accept: 'text/html',
      'sec-fetch-site': 'same-origin',
      ...(fields === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    const request = { url, headers, body: fields === undefined ? '' : encodeForm(Object.entries(fields)) };
    const delivery = await this.#transport.post(
      fields === undefined ? { ...request, method: 'GET' } : request,
      defaultLimits,
    );
    if (delivery.kind !== 'reply') throw fail('READ_FAILED', { why: `${new URL(url).origin}: ${delivery.reason}` });
    const { status, headers: replyHeaders, body } = delivery.reply;
    const location = replyHeaders['location'];
    if (status !== 303 || typeof location !== 'string')
      return {
        url,
        status,
        html: Buffer.from(body).toString('utf8'),
        isWaiting: replyHeaders['refresh'] !== undefined,
      };
    if (redirects === maxRedirects) throw fail('READ_FAILED', { why: 'the pages redirect in a loop' });
    return this.open(new URL(location, url).href, undefined, redirects + 1);
  }
}

/** True for a page on this machine. */
export function isLocalPage(url: string): boolean {
  return webAddress(url) !== undefined && isLoopback(url);
}
