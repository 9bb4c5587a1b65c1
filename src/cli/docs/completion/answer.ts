import { builtInSandbox, listProfiles } from '../../../config/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { sandboxPath } from '../../core/local-sandbox.js';
import type { Offer } from './orders.js';

// Nothing here needs quotes in any shell: an order id came from outside, and a shell would run what it is made to type.
const harmless = /^[A-Za-z0-9][A-Za-z0-9._:@+,=/-]{0,127}$/;

/**
 * What the completion scripts ask for: `KIND WORD…`, the words of the command before the one being typed. Prints a
 * value a line, then a tab and what it is. From local data only; whatever goes wrong, nothing is printed.
 */
export async function answer(words: readonly string[], runtime: Runtime): Promise<number> {
  try {
    for (const { value, about } of await offers(words, runtime))
      if (harmless.test(value)) runtime.terminal.out(`${value}\t${about}\n`);
  } catch {
    // Whoever presses TAB has not asked anything yet.
  }
  return 0;
}

async function offers([kind, ...rest]: readonly string[], runtime: Runtime): Promise<readonly Offer[]> {
  const at = rest.lastIndexOf('--profile');
  const words = at === -1 ? rest : rest.slice(0, at);
  const profile = at === -1 ? undefined : rest[at + 1] || undefined;
  if (kind === 'profiles') return profiles(runtime);
  // Orders are known of the built-in sandbox only.
  if (!runtime.files.exists(sandboxPath(runtime))) return [];
  const { clientOrderIds, orderIds } = await import('./orders.js');
  if (kind === 'orders') return orderIds(words, profile, runtime);
  return kind === 'client-order-ids' ? clientOrderIds(words, profile, runtime) : [];
}

async function profiles(runtime: Runtime): Promise<readonly Offer[]> {
  const listed = (await listProfiles(runtime)).map(({ name, class: kind }) => ({ value: name, about: kind }));
  return [...listed, { value: builtInSandbox, about: 'the built-in sandbox' }];
}
