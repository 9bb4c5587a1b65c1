import type { Limits, NotSent } from './ports.js';

/** No connection was made; the reason is its cause. */
export class Unconnected extends Error {
  constructor(cause: unknown) {
    super('no connection', { cause });
  }
}

/** What cannot be used, with the reason in words. */
export class Unusable extends Error {}

const connectWords: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name cannot be resolved',
  EAI_AGAIN: 'the DNS server does not answer',
  ECONNREFUSED: 'the connection was refused',
  ETIMEDOUT: 'the host does not answer',
};

const aboutCertificates =
  /^(?:(?:ERR_TLS|ERR_SSL|CERT|CRL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|INVALID|PATH_LENGTH|HOSTNAME|ERROR_IN)_|EPROTO$)/;

const remedy =
  'check the base address, its port and the clock of this machine; if the gateway has a CA of its own, name its certificate with --ca-file FILE, or `paycli profile set NAME --ca-file FILE`';

/** Why a request never left. */
export function explainNotSent(error: unknown): NotSent {
  if (!(error instanceof Unconnected))
    return { kind: 'never-sent', reason: `the request could not be built (${codeOf(error)})` };
  const { cause } = error;
  if (cause instanceof Unconnected)
    return { kind: 'never-sent', reason: `the proxy could not be used: ${explainNotSent(cause).reason}` };
  const code = codeOf(cause);
  if (aboutCertificates.test(code))
    return { kind: 'certificate', reason: `its TLS certificate or version was not accepted (${code})`, remedy };
  const proxyStatus = /Proxy response \((\d+)\)/.exec(String(cause))?.[1];
  if (proxyStatus !== undefined) return { kind: 'never-sent', reason: `the proxy answered ${proxyStatus}` };
  return { kind: 'never-sent', reason: connectWords[code] ?? `the connection failed (${code})` };
}

/** Why the reply to a request that was sent cannot be used. */
export function explainLost(error: unknown, { firstByteMs, gapMs }: Limits): string {
  if (error instanceof Unusable) return error.message;
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return `no reply within ${firstByteMs / 1000} s`;
  if (code === 'UND_ERR_BODY_TIMEOUT') return `the reply stalled for ${gapMs / 1000} s`;
  return /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code)
    ? 'the connection was closed before the reply was complete'
    : `the reply is not valid HTTP, or the connection failed (${code})`;
}

/** The code of a system or library error; its name where it has none. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
