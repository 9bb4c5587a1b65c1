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
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'the network is unreachable',
  EMFILE: 'too many files are open; raise the limit with `ulimit -n`',
  UND_ERR_SOCKET: 'the proxy closed the connection',
};

type TlsFailure = readonly [reason: string, remedy: string];

const checkClock = 'check the clock of this machine; if it is right, contact gateway support';
const checkHost = 'check the host and port of the base address';
const nameIssuer =
  'check the base address; if the gateway has a CA of its own, name its certificate with --ca-file FILE, or `paycli profile set NAME --ca-file FILE`';

const unknownIssuer: TlsFailure = ['the issuer of the certificate is unknown', nameIssuer];
const oldProtocol: TlsFailure = ['the peer does not support TLS 1.2 or later', 'contact gateway support'];

const tlsFailures: Readonly<Record<string, TlsFailure>> = {
  CERT_HAS_EXPIRED: ['the certificate has expired', checkClock],
  CERT_NOT_YET_VALID: ['the certificate is not valid yet', checkClock],
  ERR_TLS_CERT_ALTNAME_INVALID: ['the certificate was issued for another host name', checkHost],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['the certificate is self-signed, and not trusted here', nameIssuer],
  SELF_SIGNED_CERT_IN_CHAIN: ['the issuer of the certificate is not trusted here', nameIssuer],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  CERT_REVOKED: ['the certificate was revoked', 'contact gateway support'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['the peer does not speak TLS', checkHost],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['the peer does not speak TLS', checkHost],
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldProtocol,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: oldProtocol,
};
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
    const [reason, remedy] = tlsFailures[code] ?? [`TLS failed with ${code}`, checkHost];
    return { kind: 'certificate', reason, remedy };
  }
  const proxyStatus = /Proxy response \((\d+)\)/.exec(String(error.cause))?.[1];
  if (proxyStatus !== undefined) return { kind: 'never-sent', reason: `the proxy answered ${proxyStatus}` };
  return { kind: 'never-sent', reason: connectWords[code] ?? `the connection failed (${code})` };
}

const closed = 'the connection was closed before the reply was complete';
const lost: Readonly<Record<string, (limits: Limits) => string>> = {
  UND_ERR_HEADERS_TIMEOUT: ({ firstByteMs }) => `no reply within ${firstByteMs / 1000} s`,
  UND_ERR_BODY_TIMEOUT: ({ gapMs }) => `the reply stalled for ${gapMs / 1000} s`,
  UND_ERR_HEADERS_OVERFLOW: () => 'reply headers larger than 16 KiB',
  UND_ERR_SOCKET: () => closed,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: () => 'the reply length does not match its Content-Length',
  ECONNRESET: () => closed,
  EPIPE: () => closed,
};

/** Why the reply to a request that was sent cannot be used. */
export function explainLost(error: unknown, limits: Limits): string {
  if (error instanceof Unusable) return error.message;
  const code = codeOf(error);
  if (code === 'HTTPParserError' || code.startsWith('HPE_')) return 'the reply is not valid HTTP';
  return lost[code]?.(limits) ?? `the connection failed (${code})`;
}

/** The code of a system or library error; its name where it has none. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
