import { fail, type PaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { ReadRequest } from '../../../signing/requests/index.js';
import { operationAt } from '../../../signing/requests/index.js';
import { encodeForm, type Pair } from '../../../wire/form.js';
import { hidden, isMask } from '../../../wire/mask.js';
import { openLocalSandbox } from '../../sandbox-session.js';

/**
 * A request that the sandbox of this machine wrote down. Its log keeps no card data, so only what is signed without it
 * can be checked again. Throws USAGE for an id that is no request's, and where the signature covers card data.
 */
export async function readLoggedRequest(id: string, runtime: Runtime): Promise<ReadRequest> {
  if (!/^[1-9]\d{0,14}$/.test(id))
    throw fail('USAGE', { why: '--log: use the id of an entry of `paycli sandbox log --json`' });
  const { eventById } = await import('../../../sandbox/log.js');
  const sandbox = await openLocalSandbox(runtime);
  try {
    const event = eventById(sandbox.store, Number(id));
    const { method, url, authorization, control, signature = '' } = event?.detail ?? {};
    if (event === undefined || method === undefined || url === undefined) throw logEntryNoRequest(id);
    const pairs = event.fields.map(([name, value]): Pair => [name, name === 'control' ? (control ?? '') : value]);
    const isHidden = pairs.some(([, value]) => value.includes(hidden) || isMask(value));
    // A checksum covers no card data.
    if (isHidden && authorization !== undefined)
      throw fail('USAGE', {
        why: `entry ${id} cannot be checked again: its signature covers card data, which the log does not keep. Its verdict was: ${signature}. \`paycli sandbox audit\` names the mistake`,
      });
    if (operationAt(url) === undefined) throw logEntryNoRequest(id);
    return {
      format: 'json',
      formatWords: 'entry of the sandbox log',
      method,
      url,
      headers: [
        ['Accept', 'application/vnd.pay+json'],
        ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
      ],
      body: encodeForm(pairs),
      notes: isHidden ? ['the log keeps no card data, and this signature does not cover any'] : [],
    };
  } finally {
    sandbox.close();
  }
}

function logEntryNoRequest(id: string): PaycliError {
  return fail('USAGE', { why: `entry ${id} of the sandbox log is not a request to an operation` });
}
