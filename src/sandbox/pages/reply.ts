import { webAddress } from '../../wire/address.js';
import { prefix } from '../checks/route.js';
import type { SandboxReply } from '../request.js';

export const pagesPath = `${prefix}/pages`;

/** What a page may do besides showing itself and posting to its own address. */
export interface Allowance {
  readonly status?: number;
  /** Further addresses its forms may be posted to. */
  readonly formsTo?: readonly (string | undefined)[];
  /** True when it holds a frame of this server. */
  readonly frames?: true;
  /** Pages that may hold it in a frame; a page of this server always may where this is given. */
  readonly framedBy?: readonly (string | undefined)[];
  /** Seconds until the browser asks again. */
  readonly refresh?: number;
}

/** A page under the strictest policy it can live with. */
export function htmlReply(page: unknown, allowed: Allowance = {}): SandboxReply {
  const refresh: Readonly<Record<string, string>> = allowed.refresh === undefined ? {} : { refresh: String(allowed.refresh) };
  return {
    status: allowed.status ?? 200,
    headers: {
      'content-type': 'text/html;charset=utf-8',
      'content-security-policy': policy(allowed),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      ...refresh,
    },
    body: `<!doctype html>${String(page)}`,
  };
}

function policy({ formsTo = [], frames, framedBy }: Allowance): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    `form-action ${["'self'", ...origins(formsTo)].join(' ')}`,
    ...(frames === true ? ["frame-src 'self'"] : []),
    `frame-ancestors ${framedBy === undefined ? "'none'" : ["'self'", ...origins(framedBy)].join(' ')}`,
    "base-uri 'none'",
  ].join('; ');
}

function origins(addresses: readonly (string | undefined)[]): string[] {
  const found = addresses.flatMap((address) => (address === undefined ? [] : (webAddress(address)?.origin ?? [])));
  // A host name may hold a semicolon, which would begin a directive of its own.
  return [...new Set(found)].filter((origin) => /^https?:\/\/[\w.:[\]-]+$/.test(origin));
}

export function seeOther(path: string): SandboxReply {
  return { status: 303, headers: { location: path, 'cache-control': 'no-store' }, body: '' };
}

/** A style or script of this server; it holds nothing of anybody. */
export function assetReply(type: string, body: string): SandboxReply {
  return {
    status: 200,
    headers: { 'content-type': `${type};charset=utf-8`, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' },
    body,
  };
}
