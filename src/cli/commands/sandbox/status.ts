import type { Runtime } from '../../../runtime/ports.js';
import { readPublicKey } from '../../../signing/index.js';
import { defineCommand } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { nameFlag } from '../../core/other-sandboxes.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import type { Sheet } from '../../format/document.js';
import { findListening, type LocalSandbox, openLocalSandbox, sandboxName, sandboxPath } from '../../sandbox-session.js';

export const sandboxStatus = defineCommand({
  summary: 'Show merchants, endpoints and keys, and whether the sandbox is listening',
  flags: { ...outputFlags },
  effect: 'local',
  result: ['sandbox'],
  run: ({ flags, runtime }) => runSandboxStatus(flags, runtime),
});

/** Merchants, endpoints and keys of the sandbox. The keys have no value elsewhere, so they are printed. */
async function runSandboxStatus(options: CommonOptions, runtime: Runtime): Promise<number> {
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
        `${report.columns([
          ['name', name],
          ['listens', listening?.url ?? `no; \`paycli sandbox start${nameFlag(runtime)}\` serves it over HTTP`],
          ['data', file],
        ])}\n${report.sheet(sheet)}`,
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
      { head: 'endpoints', flexible: true },
      { head: 'control key' },
      { head: 'RSA public key', flexible: true },
    ],
    rows: merchants.map(({ login, endpoints, controlKey, publicKeyPem }) => {
      const none = login === 'sandbox' ? 'none yet; created when first needed' : 'none';
      const ids = endpoints.map(({ id, currency }) => (currency === undefined ? id : `${id} (${currency})`)).join(', ');
      return [login, ids, controlKey, publicKeyPem === undefined ? none : readPublicKey(publicKeyPem).fingerprint];
    }),
  };
}
