import { join } from 'node:path';
import { defineCommand, word } from '../../command.js';
import { outputFlags } from '../../flags.js';
import { withSandbox } from '../../sandbox-session.js';
import { assertFree, createFiles, pathOf } from '../keys/key-files.js';

export const sandboxMerchant = defineCommand({
  summary: 'Add a merchant with new keys, which are printed or written to files',
  args: { login: { text: 'login of the merchant', ask: 'Login of the merchant' } },
  flags: {
    endpointId: word('<id>', 'its endpoint (default: the next free one)'),
    out: word('<folder>', 'write the keys to files in this folder instead'),
    ...outputFlags,
  },
  examples: ['sandbox merchant suite-b', 'sandbox merchant suite-c --out keys'],
  effect: 'local',
  result: ['merchant'],
  // The keys have no value elsewhere, so they may be printed.
  run: ({ args: { login }, flags, runtime }) =>
    withSandbox(flags, runtime, async (sandbox, report) => {
      const folder = flags.out === undefined ? undefined : pathOf(flags.out, runtime);
      const paths = ['control.key', 'rsa.pem'].map((name) => join(folder ?? '', `${login}-${name}`));
      if (folder !== undefined) assertFree(paths, runtime);
      const { controlKey, privateKeyPem, ...made } = sandbox.createMerchant(login, flags.endpointId);
      const rows = [
        ['login', made.login],
        ['endpoint', made.endpointId],
      ];
      if (folder === undefined) {
        await report.show({
          isExact: true,
          document: { schema: 'paycli.merchant/1', ...made, controlKey, privateKeyPem },
          text: () => `${report.columns([...rows, ['control key', controlKey]])}${privateKeyPem}`,
        });
        return 0;
      }
      const [controlKeyFile = '', privateKeyFile = ''] = paths;
      const files = [
        { path: controlKeyFile, text: `${controlKey}\n`, mode: 0o600 },
        { path: privateKeyFile, text: privateKeyPem, mode: 0o600 },
      ];
      createFiles(files, runtime);
      await report.show({
        document: { schema: 'paycli.merchant/1', ...made, controlKeyFile, privateKeyFile },
        text: () => report.columns([...rows, ['control key', controlKeyFile], ['private key', privateKeyFile]]),
      });
      return 0;
    }),
});
