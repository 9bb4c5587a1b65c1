import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { openLocalSandbox } from '../../sandbox-session.js';

interface MerchantOptions extends CommonOptions {
  readonly login: string;
}

export const sandboxMerchantAdd = defineCommand<MerchantOptions>({
  name: 'sandbox merchant add',
  summary: 'Add a merchant with new keys and print them',
  options: [
    ['--login <login>', 'login of the merchant', { required: true }],
    ['--endpoint-id <id>', 'its endpoint (default: the next free one)'],
  ],
  effect: 'none',
  network: false,
  exits: [],
  prints: ['merchant'],
  run: ({ options, runtime }) => runMerchantAdd(options, runtime),
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
