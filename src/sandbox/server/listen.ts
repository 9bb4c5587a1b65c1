import {
  createServer as createPlainServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerOptions,
} from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { fail } from '../../errors/index.js';
import { bodyTooLarge, maxBodyBytes } from '../checks/body.js';
import type { SandboxReply } from '../checks/request.js';
import { refusalReply } from '../effects/reply.js';
import { Refusal } from '../ledger/refusal.js';
import { dashboard } from '../web/dashboard/routes.js';
import { servePage } from '../web/hosted-pages.js';
import { pagesPath } from '../web/pages/html.js';
import { guardReplies, repeatedHeader, sendReply } from './http-connection.js';
import { logRejectedRequest, type RejectedRequest } from './request-log.js';
import type { Sandbox } from './sandbox.js';

export interface ListenOptions {
  /** 0 for any free one. */
  readonly port: number;
  /** No other: a sandbox is only for this machine. */
  readonly host?: '127.0.0.1';
  /** Further facts for the health check. */
  readonly about?: Readonly<Record<string, string | number>> | undefined;
  /** Makes the server, such as one that speaks TLS; a plain one when left out. */
  readonly createServer?: ((options: ServerOptions) => Server) | undefined;
  /** Called before replies are sent; returns what they have to wait for, if anything. */
  readonly beforeReply?: (() => Promise<void> | undefined) | undefined;
  /** Called for requests that are refused before any operation sees them. */
  readonly onRejected?: ((one: RejectedRequest) => void) | undefined;
}

export interface RunningServer {
  readonly port: number;
  /** Ends the server and its connections. Completed replies are not affected. */
  close(): Promise<void>;
}

// A body is drained up to this size before it is refused, or the client would see a reset in place of the reply.
const maxDrainedBytes = 8_388_608;
const maxHeaderBytes = 16_384;
const requestCutOff = () => new Refusal('fault', 'the request could not be read');

/** Serves a sandbox over HTTP on this machine. `made` may build it once the address is known. Throws PORT_TAKEN. */
export async function listen(
  sandboxOrFactory: Sandbox | ((pagesBase: string) => Sandbox),
  { port: wanted, host = '127.0.0.1', about, beforeReply = () => undefined, onRejected, ...own }: ListenOptions,
): Promise<RunningServer> {
  // A missing Host header is refused like a wrong one, not by the server itself.
  const { createServer = createPlainServer } = own;
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    requireHostHeader: false,
  });
  const port = await bind(server, wanted, host);
  const sandbox =
    typeof sandboxOrFactory === 'function' ? sandboxOrFactory(`http://${host}:${port}`) : sandboxOrFactory;
  const note = (one: RejectedRequest) => {
    logRejectedRequest(sandbox.store, one);
    onRejected?.(one);
  };
  guardReplies(server, (status, why) => note({ reason: 'unreadable', status, why }));
  const refuse = createRefuse(sandbox, note);
  const errorHandler = () =>
    refuse(new Refusal('wrong-host', 'the Host header or the address of the request is malformed'));
  const app = createApp(sandbox, { port, about, beforeReply, refuse });
  server.on('request', getRequestListener(app.fetch, { errorHandler }));
  return { port, close: () => close(server) };
}

type Refuse = (refusal: Refusal, incoming?: IncomingMessage) => Response;

/** Refuses and logs requests that reach no operation. */
function createRefuse({ assume }: Sandbox, note: (one: RejectedRequest) => void): Refuse {
  return (refusal, incoming) => {
    const reply = refusalReply(refusal, { serial: '00000000-0000-0000-0000-000000000000' }, assume);
    const request = incoming === undefined ? undefined : { method: incoming.method ?? '', url: addressOf(incoming) };
    note({ reason: refusal.reason, status: reply.status, why: refusal.message, request });
    return toResponse(reply);
  };
}

/** The request's address on this server, whatever host it names. */
function addressOf({ url = '' }: IncomingMessage): string {
  return url.startsWith('/') ? `http://127.0.0.1${url}` : url;
}

function bind(server: Server, wanted: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isTaken = 'code' in error && error.code === 'EADDRINUSE';
      reject(
        isTaken
          ? fail('PORT_TAKEN', { port: wanted }, { cause: error })
          : fail(
              'USAGE',
              { why: `port ${wanted} cannot be opened`, port: wanted, command: 'sandbox start' },
              { cause: error },
            ),
      );
    });
    server.listen(wanted, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : wanted);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface AppOptions extends Pick<ListenOptions, 'port' | 'about'> {
  readonly beforeReply: () => Promise<void> | undefined;
  readonly refuse: Refuse;
}

function createApp(
  sandbox: Sandbox,
  { port, about = {}, beforeReply, refuse }: AppOptions,
): Hono<{ Bindings: HttpBindings }> {
  const hosts = hostsOf(port);
  const app = new Hono<{ Bindings: HttpBindings }>();
  // Usually a client that disconnected while sending; the framework's own handler would print it.
  app.onError((_, c) => refuse(requestCutOff(), c.env.incoming));
  app.use(async (c, next) => {
    const repeated = repeatedHeader(c.env.incoming);
    if (repeated !== undefined) {
      await readBody(c.env.incoming);
      return refuse(new Refusal('invalid', `the header ${repeated} was sent more than once`), c.env.incoming);
    }
    if (hosts.has(c.env.incoming.headers.host?.toLowerCase() ?? '')) return next();
    // Stops DNS rebinding: a page of another site whose name points here would send that name.
    await readBody(c.env.incoming);
    return refuse(new Refusal('wrong-host', `this sandbox serves ${[...hosts].join(', ')} only`), c.env.incoming);
  });
  app.on(['GET', 'POST'], '/healthz', (c) => c.json({ ok: true, ...about }));
  app.all(`${pagesPath}/*`, async (c) => {
    const { incoming } = c.env;
    const body = await readBody(incoming);
    if (body === undefined) return refuse(bodyTooLarge(), incoming);
    const { method = '', url = '', headers } = incoming;
    const site = headers['sec-fetch-site'];
    const asked = { 'sec-fetch-site': typeof site === 'string' ? site : undefined };
    const page = sandbox.servePage({ method, url: `http://${headers.host}${url}`, headers: asked, body }, servePage);
    await beforeReply();
    return toResponse(page);
  });
  app.route('/', dashboard(sandbox.store));
  app.all('*', async (c) => {
    const { incoming } = c.env;
    const body = await readBody(incoming);
    if (body === undefined) return refuse(bodyTooLarge(), incoming);
    if (isFromAnotherSite(incoming.headers, hosts))
      return refuse(new Refusal('cross-site', 'pages of other sites cannot send requests here'), incoming);
    const { method = '', url = '', headers } = incoming;
    const { accept, authorization, 'content-type': contentType, host } = headers;
    const request = {
      method,
      url: `http://${host}${url}`,
      headers: { accept, authorization, 'content-type': contentType },
      body,
    };
    const reply = sandbox.handle(request);
    await beforeReply();
    if (reply.delivery === undefined) return toResponse(reply);
    sendReply(reply, c.env.outgoing, sandbox.store.machine);
    return RESPONSE_ALREADY_SENT;
  });
  return app;
}

/** Only a browser sends these headers. A shop calls from its server, so a cross-site request is a forged one. */
function isFromAnotherSite(headers: IncomingHttpHeaders, hosts: ReadonlySet<string>): boolean {
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  const isOwn = origin === undefined || [...hosts].some((host) => origin.toLowerCase() === `http://${host}`);
  return !isOwn || (site !== 'none' && site !== 'same-origin');
}

function hostsOf(port: number): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  return new Set([...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])]);
}

/** The whole body; undefined when it is too large. */
function readBody(incoming: IncomingMessage): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    incoming.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= maxBodyBytes) pieces.push(piece);
      if (size > maxDrainedBytes) resolve(undefined);
    });
    incoming.once('end', () => resolve(size > maxBodyBytes ? undefined : Buffer.concat(pieces)));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error('the request was aborted')));
  });
}

function toResponse({ status, headers, body }: SandboxReply): Response {
  return new Response(body, { status, headers });
}
