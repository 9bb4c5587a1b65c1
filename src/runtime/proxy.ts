import type { Env } from './ports.js';

/** The proxy for an address, or undefined. Only https goes through one, and never the machine itself. */
export function proxyFor(target: URL, env: Env): URL | undefined {
  if (target.protocol !== 'https:' || isLoopback(target.hostname)) return undefined;
  const text = set(env['https_proxy']) ?? set(env['HTTPS_PROXY']);
  if (text === undefined || isExcepted(target, set(env['no_proxy']) ?? set(env['NO_PROXY']) ?? '')) return undefined;
  const address = text.includes('://') ? text : `http://${text}`;
  return URL.canParse(address) ? new URL(address) : undefined;
}

function set(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

function isExcepted(target: URL, list: string): boolean {
  const port = target.port === '' ? '443' : target.port;
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '') return false;
    if (entry === '*') return true;
    const [, name = '', wanted] = /^(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (wanted !== undefined && wanted !== port) return false;
    const bare = name.replace(/^\*?\./, '');
    return target.hostname === bare || target.hostname.endsWith(`.${bare}`);
  });
}
