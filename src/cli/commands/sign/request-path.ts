import { type StageName, stageNames } from '../../../signing/diagnose/stage-names.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { connectionFlags } from '../../core/options.js';

interface PathOptions extends CommonOptions {
  readonly scheme?: string;
  readonly signedValues?: string;
  readonly stage?: StageName;
}

export const signRequest = defineCommand<PathOptions>({
  name: 'sign request',
  summary: 'Show what would be signed of a request to any path',
  args: [['<path>', 'such as /api/v2/sale']],
  options: [
    ['--field <name=value>', 'a field of the body by its wire name; repeatable', { repeated: true }],
    [
      '--scheme <scheme>',
      'how a path is signed that is not in the API',
      { choices: ['control', 'hmac-sha1', 'rsa-sha256', 'none'] },
    ],
    ['--signed-values <names>', 'with control: the signed fields in order, separated by commas'],
    ['--stage <stage>', 'write exactly the bytes of one stage and nothing else', { choices: stageNames }],
    ['--nonce <nonce>', 'oauth_nonce of the request to compare with'],
    ['--timestamp <seconds>', 'its oauth_timestamp'],
    ...connectionFlags,
  ],
  examples: ['sign request /api/v2/status --field client_orderid=order-17'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['sign'],
  run: async ({ args: [path = ''], options, runtime }) => {
    const { rowAt } = await import('../operation/request.js');
    const { row, typed } = await rowAt(path, options, runtime);
    return (await import('./show.js')).runSign(row, typed, runtime);
  },
});
