import { defineCommand, word } from '../../command.js';
import { outputFlags } from '../../flags.js';
import { withSandbox } from './with-sandbox.js';

export const sandboxMerchant = defineCommand({
  summary: 'Add a merchant with new keys and print them',
  args: { login: { text: 'login of the merchant', ask: 'Login of the merchant' } },
  flags: { endpointId: word('<id>', 'its endpoint (default: the next free one)'), ...outputFlags },
  examples: ['sandbox merchant suite-b'],
  effect: 'local',
  result: ['merchant'],
  // The keys have no value elsewhere, so they are printed.
  run: ({ args: { login }, flags, runtime }) =>
    withSandbox(flags, runtime, async (sandbox, report) => {
      const made = sandbox.createMerchant(login, flags.endpointId);
      const rows = [
        ['login', made.login],
        ['endpoint', made.endpointId],
        ['control key', made.controlKey],
      ];
      await report.show({
        isExact: true,
        document: { schema: 'paycli.merchant/1', ...made },
        text: () => `${report.columns(rows)}${made.privateKeyPem}`,
      });
      return 0;
    }),
});
