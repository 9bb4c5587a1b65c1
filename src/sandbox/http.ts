import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { html } from 'hono/html';
import { fail } from '../errors/index.js';
import { recordViolation } from './audit/findings.js';
import { bodyTooLarge, maxBodyBytes } from './checks.js';
import { compatibleHint } from './compatible.js';
import { showDashboard } from './dashboard/routes.js';
import { noSerial, type Sandbox } from './gateway.js';
import { pathOf } from './masking.js';
import { htmlReply, messagePage, pagesPath } from './pages/html.js';
import { servePage } from './pages/serve.js';
import { Refusal } from './refusal.js';
import { refusalReply } from './replies.js';
import type { SandboxReply, SandboxRequest } from './request.js';
import { logRejectedRequest, type RejectedRequest } from './request-log.js';

export interface ListenOptions {
  /** 0 for any free one. */
  readonly port: number;
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
/** No other: a sandbox is only for this machine. */
const loopback = '127.0.0.1';

/** As the server itself would answer. */
const brokenRequests: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Serves a sandbox over HTTP on this machine; it is made once the address is known. Throws PORT_TAKEN. */
export async function listen(
  create: (pagesBase: string) => Sandbox,
  { port: wanted, about = {}, beforeReply, onRejected, createServer = createPlainServer }: ListenOptions,
): Promise<RunningServer> {
  const server = createServer({
    maxHeaderSize: 16_384,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    // A missing Host header is refused like a wrong one, not by the server itself.
    requireHostHeader: false,
  });
  const port = await bind(server, wanted);
  const sandbox = create(`http://${loopback}:${port}`);
  const names = [loopback, 'localhost', '[::1]'];
  const hosts = new Set([...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])]);
  const note = (one: RejectedRequest) => {
    logRejectedRequest(sandbox.store, one);
    onRejected?.(one);
  };
  const refuse = ({ method = '', url = '' }: IncomingMessage, refusal: Refusal) => {
    const reply = refusalReply(refusal, { serial: noSerial }, sandbox.assume);
    // The request's address on this server, whatever host it names.
    const request = { method, url: url.startsWith('/') ? `http://${loopback}${url}` : url };
    note({ reason: refusal.reason, status: reply.status, why: refusal.message, request });
    return reply;
  };
  const current = new WeakMap<Duplex, IncomingMessage>();
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    // What follows a whole request is wrong: that one is being answered, and nobody may read this as its reply.
    if (current.get(socket)?.complete === true || !socket.writable) socket.destroy();
    else socket.end(`HTTP/1.1 ${brokenRequests[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
  });
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    current.set(incoming.socket, incoming);
    response.once('close', () => current.delete(incoming.socket));
    const answered = answer(incoming, { sandbox, hosts, about, beforeReply });
    void answered.then(
      (reply) => deliver(reply instanceof Refusal ? refuse(incoming, reply) : reply, response, sandbox),
      // Usually a client that disconnected while sending.
      () => send(refuse(incoming, new Refusal('invalid', 'the request ended before its body was complete')), response),
    );
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port, close };
}

function bind(server: Server, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const isTaken = 'code' in cause && cause.code === 'EADDRINUSE';
      const about = { why: `port ${wanted} cannot be opened`, port: wanted, command: 'sandbox start' };
      reject(isTaken ? fail('PORT_TAKEN', { port: wanted }, { cause }) : fail('USAGE', about, { cause }));
    });
    server.listen(wanted, loopback, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : wanted);
    });
  });
}

interface Door extends Pick<ListenOptions, 'about' | 'beforeReply'> {
  readonly sandbox: Sandbox;
  readonly hosts: ReadonlySet<string>;
}

/** The reply to a request, or why it is refused before any operation sees it. */
async function answer(incoming: IncomingMessage, door: Door): Promise<SandboxReply | Refusal> {
  const { sandbox, hosts, about, beforeReply } = door;
  const { method = '', url = '', headers } = incoming;
  const refusal = envelopeRefusal(incoming, hosts, sandbox.isCompatible);
  const body = await readBody(incoming);
  if (refusal !== undefined) return refusal;
  if (url === '/healthz') return jsonReply({ ok: true, ...about });
  const shown = method === 'GET' ? showDashboard(sandbox.store, url) : undefined;
  if (shown !== undefined) return shown;
  if (body === undefined) return bodyTooLarge();
  if (method === 'GET' && headers.accept?.includes('text/html') === true && !isPagePath(url)) return notAPage();
  const { accept, authorization, host = '', 'sec-fetch-site': site } = headers;
  const request = { method, url: `http://${host}${url}`, body };
  const isPage = isPagePath(pathOf(request));
  if (!isPage && isFromAnotherSite(incoming, hosts))
    return new Refusal('cross-site', 'pages of other sites cannot send requests here');
  if (!hosts.has(host.toLowerCase())) {
    const detail = 'the Host header must name the address of the sandbox';
    recordViolation(sandbox.store, { rule: 'accepted', detail }, { request: undefined });
  }
  const asked = isPage
    ? { 'sec-fetch-site': typeof site === 'string' ? site : undefined }
    : {
        accept,
        authorization,
        'content-type': headers['content-type'],
        'content-encoding': headers['content-encoding'],
      };
  const reply = answerPlain(sandbox, { ...request, headers: asked });
  await beforeReply?.();
  return reply;
}

function deliver(reply: SandboxReply, response: ServerResponse, { store }: Sandbox): void {
  const { delivery } = reply;
  if (delivery === undefined) send(reply, response);
  else if (delivery === 'none') response.socket?.destroy();
  // A late one only while the client still waits for it.
  else if (delivery !== 'hang') void store.machine.sleep(delivery.afterMs).then(() => send(reply, response));
}

function send({ status, headers, body }: SandboxReply, response: ServerResponse): void {
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) };
  if (!response.destroyed) response.writeHead(status, { ...headers, ...length }).end(body);
}

function jsonReply(value: object): SandboxReply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** For a person who opens an address of the API. */
function notAPage(): SandboxReply {
  const orders = html`<a href="/">The orders of this sandbox</a>`;
  const words = html`Programs send their requests to this address. ${orders} are on a page.`;
  return htmlReply(messagePage('There is no page here', words), { status: 404 });
}

/** Answers a request as a plain value: a page for a browser, or an operation. */
export function answerPlain(sandbox: Sandbox, request: SandboxRequest): SandboxReply {
  return isPagePath(pathOf(request)) ? sandbox.servePage(request, servePage) : sandbox.handle(request);
}

function isPagePath(path: string): boolean {
  return path.startsWith(`${pagesPath}/`);
}

// The parser keeps the first of these and drops the rest silently; which one the client meant is unknown.
const singleHeaders = ['host', 'authorization', 'content-type'] as const;

/** Why a request reaches nothing at all. */
function envelopeRefusal(
  { headers, headersDistinct, url = '' }: IncomingMessage,
  hosts: ReadonlySet<string>,
  isCompatible: boolean,
): Refusal | undefined {
  const repeated = singleHeaders.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  if (repeated !== undefined) return new Refusal('invalid', `the header ${repeated} was sent more than once`);
  // Stops DNS rebinding: a page of another site whose name points here would send that name.
  if (hosts.has(headers.host?.toLowerCase() ?? '')) return undefined;
  // Pages are for browsers, so they keep their names; an operation is refused by its Origin where a page sends it.
  const isOperation = url.split('?', 1)[0]?.includes('/api/') === true;
  const isAllowed = isOperation && URL.canParse(`http://${headers.host ?? ''}`);
  if (isCompatible && isAllowed) return undefined;
  const hint = isAllowed ? `; ${compatibleHint}` : '';
  return new Refusal('wrong-host', `this sandbox serves ${[...hosts].join(', ')} only${hint}`);
}

/** Only a browser sends these headers. A shop calls from its server, so a cross-site request is a forged one. */
function isFromAnotherSite({ headers }: IncomingMessage, hosts: ReadonlySet<string>): boolean {
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  const isOwn = origin === undefined || [...hosts].some((host) => origin.toLowerCase() === `http://${host}`);
  return !isOwn || (site !== 'none' && site !== 'same-origin');
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
