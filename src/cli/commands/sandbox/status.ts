import { readPublicKey } from '../../../signing/index.js';
import { defineCommand } from '../../command.js';
import { outputFlags } from '../../flags.js';
import type { Sheet } from '../../format/document.js';
import { findListening, type LocalSandbox, sandboxName, sandboxPath, withSandbox } from '../../sandbox-session.js';

export const sandboxStatus = defineCommand({
  summary: 'Show merchants, endpoints and keys, and whether the sandbox is listening',
  flags: outputFlags,
  examples: ['sandbox status'],
  effect: 'local',
  result: ['sandbox'],
  // The keys have no value elsewhere, so they are printed.
  run: ({ flags, runtime }) =>
    withSandbox(flags, runtime, async (sandbox, report) => {
      const merchants = sandbox.merchants();
      const listening = (await findListening(runtime))?.url;
      const [name, file] = [sandboxName(runtime), sandboxPath(runtime)];
      const sheet = merchantSheet(merchants);
      const rows = [
        ['name', name],
        ['listens', listening ?? 'no; `paycli sandbox start` serves it over HTTP'],
        ['data', file],
      ];
      await report.show({
        document: { schema: 'paycli.sandbox/1', name, file, listening: listening ?? null, merchants },
        list: 'merchants',
        text: () => `${report.columns(rows)}\n${report.sheet(sheet)}`,
        sheet: () => sheet,
      });
      return 0;
    }),
});

function merchantSheet(merchants: ReturnType<LocalSandbox['merchants']>): Sheet {
  return {
    columns: [
      { head: 'merchant' },
      { head: 'endpoints', flexible: true },
      { head: 'control key' },
      { head: 'RSA public key', flexible: true },
    ],
    rows: merchants.map(({ login, endpoints, controlKey, publicKeyPem }) => {
      const none =
        login === 'sandbox' ? 'none yet; `paycli sandbox merchant LOGIN --out DIR` adds a merchant with keys' : 'none';
      const ids = endpoints.map(({ id, currency }) => (currency === undefined ? id : `${id} (${currency})`)).join(', ');
      return [login, ids, controlKey, publicKeyPem === undefined ? none : readPublicKey(publicKeyPem).fingerprint];
    }),
  };
}
