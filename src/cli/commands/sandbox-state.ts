import type { Runtime } from '../../runtime/ports.js';
import { readPublicKey } from '../../signing/index.js';
import { type Box, boxName, boxPath, findListening, openBox, refuseListening } from '../box.js';
import type { CommonOptions } from '../options.js';
import { columns } from '../present/columns.js';
import type { Sheet } from '../present/shown.js';
import { Reporter } from '../reporter.js';

/** Merchants, endpoints and keys of the sandbox. They are worth nothing elsewhere, so they are printed. */
export async function runSandboxStatus(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const world = await openBox(runtime);
  try {
    const merchants = world.merchants();
    const listening = await findListening(runtime);
    const name = boxName(runtime);
    const file = boxPath(runtime);
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
    world.close();
  }
}

function merchantSheet(merchants: ReturnType<Box['merchants']>): Sheet {
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
export async function runSandboxReset(options: CommonOptions & { readonly all?: boolean }, runtime: Runtime): Promise<number> {
  if (options.all === true) {
    await refuseListening(runtime);
    for (const end of ['', '-wal', '-shm']) runtime.files.remove(boxPath(runtime) + end);
  }
  const world = await openBox(runtime);
  try {
    world.reset();
    new Reporter(options, undefined, runtime).notes(['the sandbox has forgotten its orders; merchants and keys are as they were']);
    return 0;
  } finally {
    world.close();
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
  for (let waited = 0; waited < 5000 && runtime.processes.isAlive(running.pid); waited += 50) await runtime.clock.sleep(50);
  report.notes([`the sandbox ${running.name} at ${running.url} was ended`]);
  return 0;
}

export interface MerchantOptions extends CommonOptions {
  readonly login: string;
}

/** Adds a merchant with new keys. They are worth nothing elsewhere, so they are printed. */
export async function runMerchantAdd(options: MerchantOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const world = await openBox(runtime);
  try {
    const made = world.makeMerchant(options.login, options.endpointId);
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
    world.close();
  }
}
