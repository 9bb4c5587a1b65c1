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
  ECONNRESET: 'the connection was closed while it was being set up',
  ETIMEDOUT: 'the host does not answer',
  UND_ERR_SOCKET: 'the proxy closed the connection',
};

const nameIssuer =
  'check the base address; if the gateway has a CA of its own, name its certificate with --ca-file FILE, or `paycli profile set NAME --ca-file FILE`';

/** What is wrong with a certificate, by the beginning of the code; the first that fits. */
const tlsFailures: readonly (readonly [code: RegExp, reason: string, remedy: string])[] = [
  [/^CERT_HAS_EXPIRED/, 'the certificate has expired', 'check the clock of this machine, then ask gateway support'],
  [/^CERT_NOT_YET/, 'the certificate is not valid yet', 'check the clock of this machine, then ask gateway support'],
  [/^DEPTH_ZERO_SELF/, 'the certificate is self-signed, and not trusted here', nameIssuer],
  [/^(?:SELF_SIGNED|UNABLE_TO)_/, 'the issuer of the certificate is not trusted here', nameIssuer],
  [/ALTNAME/, 'the certificate was issued for another host name', 'check the host and port of the base address'],
  [/WRONG_VERSION|TOO_LONG/, 'the peer does not speak TLS', 'check the host and port of the base address'],
  [/PROTOCOL/, 'the peer does not support TLS 1.2 or later', 'contact gateway support'],
];

const aboutCertificates =
  /^(?:(?:ERR_TLS|ERR_SSL|CERT|CRL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|INVALID|PATH_LENGTH|HOSTNAME|ERROR_IN)_|EPROTO$)/;

/** Why a request never left. */
export function explainNotSent(error: unknown): NotSent {
  if (!(error instanceof Unconnected))
    return { kind: 'never-sent', reason: `the request could not be built (${codeOf(error)})` };
  if (error.cause instanceof Unconnected)
    return { kind: 'never-sent', reason: `the proxy could not be used: ${explainNotSent(error.cause).reason}` };
  const code = codeOf(error.cause);
  if (aboutCertificates.test(code)) {
    const usual = [code, `TLS failed with ${code}`, 'check the host and port of the base address'] as const;
    const [, reason, remedy] = tlsFailures.find(([pattern]) => pattern.test(code)) ?? usual;
    return { kind: 'certificate', reason, remedy };
  }
  const proxyStatus = /Proxy response \((\d+)\)/.exec(String(error.cause))?.[1];
  if (proxyStatus !== undefined) return { kind: 'never-sent', reason: `the proxy answered ${proxyStatus}` };
  return { kind: 'never-sent', reason: connectWords[code] ?? `the connection failed (${code})` };
}

/** Why the reply to a request that was sent cannot be used. */
export function explainLost(error: unknown, { firstByteMs, gapMs }: Limits): string {
  if (error instanceof Unusable) return error.message;
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return `no reply within ${firstByteMs / 1000} s`;
  if (code === 'UND_ERR_BODY_TIMEOUT') return `the reply stalled for ${gapMs / 1000} s`;
  if (code === 'HTTPParserError' || /^HPE_|OVERFLOW|MISMATCH/.test(code)) return 'the reply is not valid HTTP';
  if (/^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code))
    return 'the connection was closed before the reply was complete';
  return `the connection failed (${code})`;
}

/** The code of a system or library error; its name where it has none. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
