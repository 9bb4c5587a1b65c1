import type { LocalSandbox } from '../../core/local-sandbox.js';

/** Says that a sandbox has other merchants, to a user who chose none: a profile may be about one of them. */
export async function otherMerchants({ store }: LocalSandbox): Promise<readonly string[]> {
  const { addedLogins } = await import('../../../sandbox/ledger/merchants.js');
  const logins = addedLogins(store);
  return logins.length === 0 ? [] : [`other merchants of this sandbox: ${logins.join(', ')}: --login LOGIN`];
}
