import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { openLocalSandbox } from '../../sandbox-session.js';

interface MerchantOptions extends CommonOptions {
  readonly login: string;
}

export const sandboxMerchantAdd = defineCommand({
  summary: 'Add a merchant with new keys and print them',
  flags: {
    login: word('<login>', 'login of the merchant', { ask: 'login of the merchant' }),
    endpointId: word('<id>', 'its endpoint (default: the next free one)'),
    ...outputFlags,
  } satisfies FlagsFor<MerchantOptions>,
  effect: 'local',
  result: ['merchant'],
  run: ({ flags, runtime }) => runMerchantAdd(flags as MerchantOptions, runtime),
});

/** Adds a merchant with new keys. The keys have no value elsewhere, so they are printed. */
async function runMerchantAdd(options: MerchantOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const sandbox = await openLocalSandbox(runtime);
  try {
    const made = sandbox.createMerchant(options.login, options.endpointId);
    await report.show({
      isExact: true,
      document: { schema: 'paycli.merchant/1', ...made },
      text: () =>
        `${report.columns([
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
