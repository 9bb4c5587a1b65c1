import { createPublicKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import type { HttpRequest, Runtime, Transport } from '../../src/runtime/ports.js';
import { judgeSignature } from '../../src/sandbox/audit/examine.js';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { servePage } from '../../src/sandbox/pages/serve.js';
import { openSandboxState, type SandboxState } from '../../src/sandbox/state.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { paycli, type Ran } from '../support/runtime.js';
import { controlKey, homeWithProfile, type ProfileSpec, rsaKey } from './profiles.js';

/**
 * A home whose profile is a sandbox on this machine, which answers as it would over HTTP: it does not know its client.
 */
export interface ListeningSandbox {
  readonly home: string;
  readonly sandboxState: SandboxState;
  /** All that reached it, in order. */
  readonly requests: readonly HttpRequest[];
  run(argv: readonly string[]): Promise<Ran>;
}

/** Not the address of the built-in sandbox, whose pages are answered without a network. */
export const origin = 'http://127.0.0.1:8686';

export function openListeningSandbox(spec: ProfileSpec = {}): ListeningSandbox {
  const home = homeWithProfile({ class: 'sandbox', baseUrl: `${origin}/gateway`, ...spec });
  const key = rsaKey(home);
  writeFileSync(join(home, 'config', 'config.yaml'), `    private-key: { file: ${key} }\n`, { flag: 'a' });
  const publicKeyPem = createPublicKey(readFileSync(key, 'utf8')).export({ type: 'spki', format: 'pem' }).toString();
  const requests: HttpRequest[] = [];
  let sandboxState: SandboxState | undefined;
  const outside = (usual: Runtime): Runtime => {
    sandboxState ??= openSandboxState({ database: sqlite.open(':memory:'), clock: usual.clock, random: usual.random });
    sandboxState.addMerchant({ login: 'my-shop', endpointId: '1144', controlKey, publicKeyPem });
    return {
      ...usual,
      transport: async () => overHttp(sandboxState ?? expect.unreachable('no sandboxState'), usual, requests),
    };
  };
  return {
    home,
    requests,
    get sandboxState() {
      return sandboxState ?? expect.unreachable('nothing was run yet');
    },
    run: (argv) => paycli(argv, { home, outside }),
  };
}

/** What a server would hand to the sandbox: pages, operations, and its own pages beside the interface. */
function overHttp(sandboxState: SandboxState, { clock }: Runtime, requests: HttpRequest[]): Transport {
  const sandbox = createSandbox(sandboxState, { assume: assumeDefaults, pagesBase: origin, judgeSignature });
  return {
    async post(request) {
      requests.push(request);
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const asked = { method: request.method ?? 'POST', url: request.url, headers, body: Buffer.from(request.body) };
      const { pathname } = new URL(request.url);
      const date = new Date(clock.now()).toUTCString();
      if (!pathname.startsWith('/gateway'))
        return { kind: 'reply', reply: { status: 200, headers: { date }, body: Buffer.from('') } };
      const {
        status,
        headers: got,
        body,
      } = pathname.startsWith('/gateway/pages/') ? sandbox.servePage(asked, servePage) : sandbox.handle(asked);
      return { kind: 'reply', reply: { status, headers: { ...got, date }, body: Buffer.from(body) } };
    },
    close: async () => undefined,
  };
}
