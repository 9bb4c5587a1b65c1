import { type Defaults, noCaps } from '../../config/index.js';
import { fail } from '../../errors/index.js';
import type { HttpReply, HttpRequest, Runtime, Transport } from '../../runtime/ports.js';
import type { Identity, Sandbox } from '../../sandbox/index.js';
import { keyFingerprint, type PrivateKey, readPrivateKey, Secret } from '../../signing/index.js';
import { assumeDefaults } from '../../spec/index.js';
import { parseEndpointId } from '../../wire/address.js';
import {
  defaultPages,
  findListening,
  type LocalSandbox,
  openLocalSandbox,
  readIdentity,
  sandboxName,
  sandboxPauses,
} from './local-sandbox.js';
import type { CommonSettings, Session } from './session.js';
import { testPayer } from './test-payer.js';

/** The built-in sandbox has the default assumptions and no caps. */
const noSettings = { assume: assumeDefaults, assumeOrigins: {}, caps: noCaps } as const;

interface SandboxSessionRequest extends CommonSettings, Pick<Session, 'isNamed' | 'flags'> {
  readonly endpointId: string | undefined;
  readonly defaults: Defaults;
}

/** The built-in sandbox as a session: over HTTP when it listens, else inside this process, with the same data. */
export async function openSandboxSession(request: SandboxSessionRequest, runtime: Runtime): Promise<Session> {
  let opened: Promise<LocalSandbox> | undefined;
  const sandbox = () => (opened ??= openLocalSandbox(runtime));
  const identity = readIdentity(runtime) ?? (await sandbox()).identity();
  const { login, endpointId, instance } = identity;
  const listening = await findListening(runtime);
  const endpoint = request.endpointId === undefined ? endpointId : parseEndpointId(request.endpointId);
  let transport: Promise<Transport> | undefined;
  const open = async (how: 'keep' | undefined) =>
    listening === undefined ? sandboxTransport(await sandbox(), identity) : runtime.transport({ keep: how === 'keep' });
  return {
    name: 'sandbox',
    class: 'sandbox',
    builtin: true,
    ...(listening === undefined ? { unservedPages: defaultPages } : {}),
    isNamed: request.isNamed,
    profiles: request.profiles,
    login,
    gatewayBase: `sandbox ${sandboxName(runtime)}/${instance}`,
    ...noSettings,
    connection: chosenEndpoint(request),
    output: request.output,
    timeoutMs: request.timeoutMs,
    waitMs: 5000,
    pauses: listening === undefined ? [50] : sandboxPauses,
    notes: request.warnings.map((text) => `warning: ${text}`),
    flags: request.flags,
    payer: testPayer,
    canAskStatus: true,
    askFirst: undefined,
    repeatWindowMs: undefined,
    endpointFor: () => endpoint,
    defaultsFor: (row) => Object.fromEntries(Object.entries(request.defaults).filter(([key]) => key in row.fields)),
    target: (id) => ({
      baseUrl: listening?.url ?? `${defaultPages}/gateway`,
      endpointId: id,
      login,
      assume: assumeDefaults,
    }),
    ...keysOf(identity, sandbox),
    transport: (how) => (transport ??= open(how)),
    async close() {
      await (await transport)?.close();
      (await opened)?.close();
    },
  };
}

/** The private key is only in the sandbox's database, which is opened when the key is needed. */
function keysOf(
  { login, controlKey }: Identity,
  sandbox: () => Promise<LocalSandbox>,
): Pick<Session, 'credentials' | 'keyName'> {
  const secret = new Secret(controlKey);
  let privateKey: PrivateKey | undefined;
  return {
    async credentials({ scheme }) {
      if (scheme !== 'rsa-sha256') return { login, controlKey: secret };
      privateKey ??= readPrivateKey((await sandbox()).builtinPrivateKey(), undefined, 'of the sandbox');
      return { login, controlKey: secret, privateKey };
    },
    keyName: (scheme) =>
      scheme === 'rsa-sha256'
        ? `private key fingerprint ${privateKey?.fingerprint ?? 'not read'}`
        : `control key fingerprint ${keyFingerprint(controlKey)}`,
  };
}

/** Throws STORAGE when the file was replaced after its identity was read. */
async function sandboxTransport(sandbox: LocalSandbox, noted: Identity): Promise<Transport> {
  const { controlKey, instance } = sandbox.identity();
  if (controlKey !== noted.controlKey || instance !== noted.instance) throw fail('sandboxFileReplaced');
  const { createSandbox } = await import('../../sandbox/index.js');
  return inProcessTransport(
    createSandbox(sandbox, { assume: assumeDefaults, pagesBase: defaultPages, client: 'paycli' }),
  );
}

/** Everything else comes from the sandbox. */
function chosenEndpoint({ endpointId }: SandboxSessionRequest): Session['connection'] {
  return endpointId === undefined
    ? []
    : [{ key: 'endpoint-id', value: endpointId, origin: 'flag --endpoint-id', hidden: false }];
}

const isPage = /^https?:\/\/[^/]+\/gateway\/pages\//;

/** The sandbox as a transport: the same bytes as over HTTP, without a socket. */
export function inProcessTransport(sandbox: Sandbox): Transport {
  return {
    async post(request: HttpRequest) {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const { method = 'POST', url, body } = request;
      const asked = { method, url, headers, body: Buffer.from(body) };
      const answer = isPage.test(url)
        ? sandbox.servePage(asked, (await import('../../sandbox/web/hosted-pages.js')).servePage)
        : sandbox.handle(asked);
      if (answer.delivery !== undefined) return { kind: 'lost', reason: 'the connection ended before a reply' };
      const reply: HttpReply = { status: answer.status, headers: answer.headers, body: Buffer.from(answer.body) };
      return { kind: 'reply', reply };
    },
    close: async () => undefined,
  };
}
