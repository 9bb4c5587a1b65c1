import { type Defaults, noCaps } from '../config/index.js';
import type { Database, HttpReply, HttpRequest, Runtime, Transport } from '../runtime/ports.js';
import type { Identity } from '../sandbox/identity.js';
import type { Sandbox } from '../sandbox/index.js';
import { keyFingerprint, type PrivateKey, readPrivateKey, Secret } from '../signing/index.js';
import { assumeDefaults } from '../spec/index.js';
import { parseEndpointId } from '../wire/address.js';
import { type Box, boxName, boxPauses, defaultPages, findListening, openBoxFile, worldOver } from './box.js';
import type { CommonSettings, Session } from './session.js';

/** A payer who does not exist, at addresses kept for documentation. */
const payer: Readonly<Record<string, string>> = {
  orderDesc: 'Sandbox order',
  email: 'payer@example.com',
  phone: '+4930123456',
  address1: 'Example Street 1',
  city: 'Berlin',
  zipCode: '10115',
  country: 'DE',
  ipAddress: '192.0.2.10',
  redirectUrl: 'https://shop.example/return',
  firstName: 'Pat',
  lastName: 'Payer',
};

/** Nobody sets assumptions or caps for the sandbox in the box. */
const unset = { assume: assumeDefaults, assumeOrigins: {}, caps: noCaps } as const;

export interface BuiltinRequest extends CommonSettings {
  readonly endpointId: string | undefined;
  readonly defaults: Defaults;
  /** True when the user named the sandbox; else one line says that it answers. */
  readonly asked: boolean;
}

/** The sandbox in the box as a session: over HTTP when it listens, else inside this process, with the same data. */
export async function openBuiltin(request: BuiltinRequest, runtime: Runtime): Promise<Session> {
  const database = await openBoxFile(runtime);
  let made: Promise<Box> | undefined;
  const box = () => (made ??= worldOver(database, runtime));
  const { login, endpointId, controlKey, instance } = await identityOf(database, box);
  const listening = await findListening(runtime);
  const endpoint = request.endpointId === undefined ? endpointId : parseEndpointId(request.endpointId);
  const secret = new Secret(controlKey);
  let privateKey: PrivateKey | undefined;
  let transport: Promise<Transport> | undefined;
  const open = async (how: 'keep' | undefined) => {
    if (listening !== undefined) return runtime.transport({ keep: how === 'keep' });
    const { createSandbox } = await import('../sandbox/index.js');
    return inProcess(createSandbox(await box(), { assume: assumeDefaults, pagesBase: defaultPages, client: 'paycli' }));
  };
  const where = listening === undefined ? 'the built-in sandbox answers' : `the sandbox at ${listening.url} answers`;
  return {
    name: 'sandbox',
    class: 'sandbox',
    builtin: true,
    login,
    place: `sandbox ${boxName(runtime)}/${instance}`,
    ...unset,
    connection: ownEndpoint(request),
    output: request.output,
    timeoutMs: request.timeoutMs,
    waitMs: 5000,
    pauses: listening === undefined ? [50] : boxPauses,
    notes: [
      ...request.warnings.map((text) => `warning: ${text}`),
      ...(request.asked ? [] : [`no profile configured: ${where} (\`paycli init\` sets one up)`]),
    ],
    flags: request.asked ? ' --profile sandbox' : '',
    payer,
    canAskStatus: true,
    endpointFor: () => endpoint,
    defaultsFor: (row) => Object.fromEntries(Object.entries(request.defaults).filter(([key]) => key in row.fields)),
    target: (id) => ({ baseUrl: listening?.url ?? `${defaultPages}/gateway`, endpointId: id, login, assume: assumeDefaults }),
    async credentials({ scheme }) {
      if (scheme === 'rsa-sha256') privateKey ??= readPrivateKey((await box()).builtinPrivateKey(), undefined, 'of the sandbox');
      return { login, controlKey: secret, ...(privateKey === undefined ? {} : { privateKey }) };
    },
    keyName: (scheme) =>
      scheme === 'rsa-sha256'
        ? `private key fingerprint ${privateKey?.fingerprint ?? 'not read'}`
        : `control key fingerprint ${keyFingerprint(controlKey)}`,
    transport: (how) => (transport ??= open(how)),
    async close() {
      await (await transport)?.close();
      database.close();
    },
  };
}

/** All else is made by the sandbox. */
function ownEndpoint({ endpointId }: BuiltinRequest): Session['connection'] {
  return endpointId === undefined ? [] : [{ key: 'endpoint-id', value: endpointId, origin: 'flag --endpoint-id', hidden: false }];
}

/** Read without the sandbox where it is there already. */
async function identityOf(database: Database, box: () => Promise<Box>): Promise<Identity> {
  const { identityIn } = await import('../sandbox/identity.js');
  const known = identityIn(database);
  if (known !== undefined) return known;
  await box();
  const fresh = identityIn(database);
  if (fresh === undefined) throw new Error('the sandbox was not made');
  return fresh;
}

const isPage = /^https?:\/\/[^/]+\/gateway\/pages\//;

/** The sandbox as a transport: the same bytes as over HTTP, without a socket. */
export function inProcess(sandbox: Sandbox): Transport {
  return {
    async post(request: HttpRequest) {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]));
      const serve = isPage.test(request.url) ? sandbox.visit : sandbox.handle;
      const answer = serve({ method: request.method ?? 'POST', url: request.url, headers, body: Buffer.from(request.body) });
      if (answer.silent === true) return { kind: 'lost', reason: 'the connection ended before a reply' };
      const reply: HttpReply = { status: answer.status, headers: answer.headers, body: Buffer.from(answer.body) };
      return { kind: 'reply', reply };
    },
    close: async () => undefined,
  };
}
