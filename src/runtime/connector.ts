import { Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { buildConnector, Client } from 'undici';
import { fail } from '../errors/index.js';
import type { Env, NotSent } from './ports.js';

/** A client of undici and the one connection that it may open. */
export interface Connection {
  readonly origin: string;
  readonly client: Client;
  /** True from the moment a byte of the request may have been sent. */
  isEstablished(): boolean;
  /** Why it was never established, once that is known. */
  failure(): NotSent | undefined;
  /** What was received since somebody emptied it, byte for byte. */
  readonly received: Buffer[];
  /** Ends it, and whatever is still being connected. */
  destroy(reason?: string): void;
}

interface PeerOptions {
  readonly ca: string | undefined;
  /** An http or https proxy that is asked for a tunnel. */
  readonly proxy: URL | undefined;
}

export function openConnection(target: URL, { ca, proxy }: PeerOptions, options: Client.Options): Connection {
  let isEstablished = false;
  let isTried = false;
  let failure: NotSent | undefined;
  const received: Buffer[] = [];
  const opened: { destroy(): unknown }[] = [];
  const base = tracked(buildConnector(settings(ca)), opened);
  const connectPeer = proxy === undefined ? base : throughProxy(proxy, target, base, opened);
  const connect: buildConnector.connector = (where, done) => {
    // Over a second connection the body could be sent a second time.
    if (isTried) return done(new Error('only one connection per request'), null);
    isTried = true;
    connectPeer(where, (error, socket) => {
      if (error === null) {
        isEstablished = true;
        done(null, socket);
        // After undici, which reads the socket itself.
        socket.on('data', (piece: Buffer) => received.push(piece));
        return;
      }
      failure = explain(error);
      // The bare error would make undici reconnect for some codes, so it only sees this one.
      done(new Error(failure.reason), null);
    });
  };
  const client = new Client(target.origin, { ...options, connect });
  return {
    ...{ origin: target.origin, client, received },
    isEstablished: () => isEstablished,
    failure: () => failure,
    destroy(reason = 'ended') {
      for (const one of opened) one.destroy();
      void client.destroy(new Error(reason));
    },
  };
}

function settings(ca: string | undefined): buildConnector.BuildOptions {
  return {
    // Set explicitly, so that neither NODE_TLS_REJECT_UNAUTHORIZED nor NODE_OPTIONS weakens it.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    allowH2: false,
    // The caller's own timer spans name lookup, TCP, proxy and TLS together.
    timeout: 0,
    // The default of 250 ms gives up on a good address of a slow link.
    autoSelectFamilyAttemptTimeout: 1000,
    // An own list replaces the usual roots, so it must contain them.
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
  };
}

function tracked(base: buildConnector.connector, opened: { destroy(): unknown }[]): buildConnector.connector {
  return (where, done) => {
    try {
      const socket: unknown = base(where, done);
      if (socket instanceof Socket) opened.push(socket);
    } catch (error) {
      done(error instanceof Error ? error : new Error('no connection', { cause: error }), null);
    }
  };
}

function throughProxy(
  proxy: URL,
  target: URL,
  base: buildConnector.connector,
  opened: { destroy(): unknown }[],
): buildConnector.connector {
  return (where, done) => {
    const client = new Client(proxy.origin, { connect: once(base), headersTimeout: 0 });
    opened.push({ destroy: () => void client.destroy() });
    client
      .connect({
        path: `${target.hostname}:${target.port === '' ? '443' : target.port}`,
        headers: proxyHeaders(proxy, target),
      })
      .then(
        ({ socket, statusCode }) => {
          socket.on('error', () => undefined);
          opened.push(socket);
          if (statusCode !== 200 || !(socket instanceof Socket)) {
            socket.destroy();
            return done(new ProxyError(`the proxy answered ${statusCode}`), null);
          }
          base({ ...where, httpSocket: socket }, done);
        },
        (error: unknown) => done(new ProxyError(`the proxy could not be used: ${explain(error).reason}`), null),
      );
  };
}

function once(base: buildConnector.connector): buildConnector.connector {
  let tried = false;
  return (where, done) => {
    if (tried) return done(new ProxyError('the peer closed the connection'), null);
    tried = true;
    base(where, (error, socket) =>
      error === null ? done(null, socket) : done(new ProxyError(explain(error).reason), null),
    );
  };
}

function proxyHeaders(proxy: URL, target: URL): Record<string, string> {
  const host = { host: target.host };
  if (proxy.username === '') return host;
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { ...host, 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` };
}

class ProxyError extends Error {}

const connectWords: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name cannot be resolved',
  EAI_AGAIN: 'the DNS server does not answer',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed while it was being set up',
  ETIMEDOUT: 'the host does not answer',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'the network is unreachable',
  EMFILE: 'too many files are open; raise the limit with `ulimit -n`',
  UND_ERR_SOCKET: 'the peer closed the connection',
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

function explain(error: unknown): NotSent {
  if (error instanceof ProxyError) return { kind: 'never-sent', reason: error.message };
  const code = codeOf(error);
  if (aboutCertificates.test(code)) {
    const [reason, remedy] = tlsFailures[code] ?? [`TLS failed with ${code}`, checkHost];
    return { kind: 'certificate', reason, remedy };
  }
  return { kind: 'never-sent', reason: connectWords[code] ?? `the connection failed (${code})` };
}

/** The code of a system or library error; its name where it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/**
 * The proxy for an address, or undefined. Only https goes through one, and never the machine itself. Throws
 * ENVIRONMENT_INVALID for one that cannot be used: without it nothing may go out.
 */
export function proxyFor(target: URL, env: Env): URL | undefined {
  if (target.protocol !== 'https:' || isLoopback(target.hostname)) return undefined;
  const name = nonEmpty(env['https_proxy']) === undefined ? 'HTTPS_PROXY' : 'https_proxy';
  const text = nonEmpty(env[name]);
  if (text === undefined || isNoProxy(target, nonEmpty(env['no_proxy']) ?? nonEmpty(env['NO_PROXY']) ?? ''))
    return undefined;
  try {
    const proxy = new URL(text.includes('://') ? text : `http://${text}`);
    proxyHeaders(proxy, target);
    // An @ behind the host: what was read as the host is a part of the name or the password.
    const isWhole = !`${proxy.pathname}${proxy.search}${proxy.hash}`.includes('@');
    if (isWhole && /^https?:$/.test(proxy.protocol)) return proxy;
  } catch {}
  throw fail('ENVIRONMENT_INVALID', {
    problems: `${name} is not the address of a proxy that can be used, so nothing is sent`,
    how: `correct it: only http and https proxies; in a name or password write % as %25, # as %23, / as %2F, @ as %40`,
  });
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d+){3}$/.test(hostname)
  );
}

function isNoProxy(target: URL, list: string): boolean {
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
