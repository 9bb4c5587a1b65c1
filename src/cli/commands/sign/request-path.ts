import { stageNames } from '../../../signing/stages.js';
import { defineCommand, list, oneOf, word } from '../../command.js';
import { connectionFlags, outputFlags } from '../../flags.js';

export const signRequest = defineCommand({
  summary: 'Show what would be signed of a request to any path',
  args: { path: { text: 'such as /api/v2/sale' } },
  flags: {
    field: list('<name=value>', 'a field of the body by its wire name; repeatable'),
    scheme: oneOf(
      ['control', 'hmac-sha1', 'rsa-sha256', 'none'],
      '<scheme>',
      'how a path is signed that is not in the API',
    ),
    signedValues: word('<names>', 'with control: the signed fields in order, separated by commas'),
    stage: oneOf(stageNames, '<stage>', 'write exactly the bytes of one stage and nothing else'),
    nonce: word('<nonce>', 'oauth_nonce of the request to compare with'),
    timestamp: word('<seconds>', 'its oauth_timestamp'),
    ...connectionFlags,
    ...outputFlags,
  },
  examples: ['sign request /api/v2/status --field client_orderid=order-17'],
  effect: 'local',
  result: ['sign'],
  run: async ({ args: { path }, flags, runtime }) => {
    const { rowAt } = await import('../operation/request.js');
    const { row, typed } = await rowAt(path, flags, runtime);
    // Of a path of the API as well, only what was given is signed.
    const fields = Object.entries(row.fields).map(([key, field]) => [key, { ...field, need: 'optional' }] as const);
    const asGiven = { ...row, fields: Object.fromEntries(fields), rules: [], opens: false };
    return (await import('./show.js')).runSign(asGiven, typed, runtime);
  },
});
