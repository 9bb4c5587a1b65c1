import type { Runtime } from '../../../runtime/ports.js';
import { readPublicKey } from '../../../signing/index.js';
import {
  assertNotListening,
  findListening,
  type LocalSandbox,
  openLocalSandbox,
  sandboxName,
  sandboxPath,
} from '../../core/local-sandbox.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import type { Sheet } from '../../format/document.js';
import { columns } from '../../format/table.js';

/** Merchants, endpoints and keys of the sandbox. They are worth nothing elsewhere, so they are printed. */
export async function runSandboxStatus(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const sandbox = await openLocalSandbox(runtime);
  try {
    const merchants = sandbox.merchants();
    const listening = await findListening(runtime);
    const name = sandboxName(runtime);
    const file = sandboxPath(runtime);
    const sheet = merchantSheet(merchants);
    await report.show({
      document: { schema: 'paycli.sandbox/1', name, file, listening: listening?.url ?? null, merchants },
      list: 'merchants',
      text: () =>
        `${columns([
          ['name', name],
          ['listens', listening === undefined ? 'no; `paycli sandbox start` serves it over HTTP' : listening.url],
          ['data', file],
        ])}\n${columns([sheet.columns.map(({ head }) => head), ...sheet.rows])}`,
      sheet: () => sheet,
    });
    return 0;
  } finally {
    sandbox.close();
  }
}

function merchantSheet(merchants: ReturnType<LocalSandbox['merchants']>): Sheet {
  return {
    columns: [
      { head: 'merchant' },
      { head: 'endpoints', flexible: 'last' },
      { head: 'control key' },
      { head: 'RSA public key', flexible: true },
    ],
    rows: merchants.map(({ login, endpoints, controlKey, publicKeyPem }) => {
      const none = login === 'sandbox' ? 'none yet; made when first needed' : 'none';
      const ids = endpoints.map(({ id, currency }) => (currency === undefined ? id : `${id} (${currency})`)).join(', ');
      return [login, ids, controlKey, publicKeyPem === undefined ? none : readPublicKey(publicKeyPem).fingerprint];
    }),
  };
}

/** Forgets orders, cards and payouts. */
export async function runSandboxReset(
  options: CommonOptions & { readonly all?: boolean },
  runtime: Runtime,
): Promise<number> {
  if (options.all === true) {
    await assertNotListening(runtime);
    for (const end of ['', '-wal', '-shm']) runtime.files.remove(sandboxPath(runtime) + end);
  }
  const sandbox = await openLocalSandbox(runtime);
  try {
    sandbox.reset();
    new Reporter(options, undefined, runtime).notes([
      'the sandbox has forgotten its orders; merchants and keys are as they were',
    ]);
    return 0;
  } finally {
    sandbox.close();
  }
}

/** Ends the sandbox of this name. Exit 0 as well when none listens. */
export async function runSandboxStop(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const running = await findListening(runtime);
  if (running === undefined) {
    report.notes(['no sandbox of this name listens']);
    return 0;
  }
  runtime.processes.end(running.pid);
  for (let waited = 0; waited < 5000 && runtime.processes.isAlive(running.pid); waited += 50)
    await runtime.clock.sleep(50);
  report.notes([`the sandbox ${running.name} at ${running.url} was ended`]);
  return 0;
}

export interface MerchantOptions extends CommonOptions {
  readonly login: string;
}

/** Adds a merchant with new keys. They are worth nothing elsewhere, so they are printed. */
export async function runMerchantAdd(options: MerchantOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const sandbox = await openLocalSandbox(runtime);
  try {
    const made = sandbox.createMerchant(options.login, options.endpointId);
    await report.show({
      document: { schema: 'paycli.merchant/1', ...made },
      text: () =>
        `${columns([
          ['login', made.login],
          ['endpoint', made.endpointId],
          ['control key', made.controlKey],
        ])}${made.privateKeyPem}`,
    });
    return 0;
  } finally {
    sandbox.close();
  }
}
