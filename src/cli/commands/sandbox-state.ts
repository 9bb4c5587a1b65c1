import type { Runtime } from '../../runtime/ports.js';
import { readPublicKey } from '../../signing/index.js';
import { boxName, boxPath, findListening, openBox, refuseListening } from '../box.js';
import type { CommonOptions } from '../options.js';
import { columns } from '../present/columns.js';
import { Reporter } from '../reporter.js';

/** Merchants, endpoints and keys of the sandbox. They are worth nothing elsewhere, so they are printed. */
export async function runSandboxStatus(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const world = await openBox(runtime);
  try {
    const merchants = world.merchants();
    const listening = await findListening(runtime);
    if (report.json) {
      report.document({
        schema: 'paycli.sandbox/1',
        name: boxName(runtime),
        file: boxPath(runtime),
        listening: listening?.url ?? null,
        merchants,
      });
      return 0;
    }
    const rows = merchants.map(({ login, endpoints, controlKey, publicKeyPem }) => [
      login,
      endpoints.map(({ id, currency }) => (currency === undefined ? id : `${id} (${currency})`)).join(', '),
      controlKey,
      publicKeyPem === undefined
        ? login === 'sandbox'
          ? 'none yet; made when first needed'
          : 'none'
        : readPublicKey(publicKeyPem).fingerprint,
    ]);
    report.out(
      `${columns([
        ['name', boxName(runtime)],
        ['listens', listening === undefined ? 'no; `paycli sandbox start` serves it over HTTP' : listening.url],
        ['data', boxPath(runtime)],
      ])}\n${columns([['merchant', 'endpoints', 'control key', 'RSA public key'], ...rows])}`,
    );
    return 0;
  } finally {
    world.close();
  }
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
    if (report.json) report.document({ schema: 'paycli.merchant/1', ...made });
    else
      report.out(
        `${columns([
          ['login', made.login],
          ['endpoint', made.endpointId],
          ['control key', made.controlKey],
        ])}${made.privateKeyPem}`,
      );
    return 0;
  } finally {
    world.close();
  }
}
