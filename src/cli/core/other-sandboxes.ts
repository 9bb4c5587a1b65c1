import type { Runtime } from '../../runtime/ports.js';
import { findListening, sandboxFolder, sandboxName } from '../sandbox-session.js';

/** The names of the other sandboxes of this user; those that `sign doctor` makes for itself are none. */
export function otherSandboxes(runtime: Runtime): readonly string[] {
  return runtime.files
    .list(sandboxFolder(runtime))
    .filter((file) => file.endsWith('.db'))
    .map((file) => file.slice(0, -'.db'.length))
    .filter((name) => name !== sandboxName(runtime) && !/^(?:.+-)?doctor$/.test(name))
    .sort();
}

/** Those that listen. */
export async function otherListening(runtime: Runtime): Promise<readonly string[]> {
  const names = otherSandboxes(runtime);
  const found = await Promise.all(names.map((name) => isListening(name, runtime)));
  return names.filter((_, at) => found[at]);
}

/** The others as a message lists them; undefined where there are none. */
export async function othersText(runtime: Runtime): Promise<string | undefined> {
  const names = otherSandboxes(runtime);
  const listening = await otherListening(runtime);
  const shown = names.map((name) => (listening.includes(name) ? `${name} (listening)` : name));
  return names.length === 0 ? undefined : `${shown.join(', ')}: --name NAME`;
}

/** A record that cannot be read is for the commands of that sandbox to report. */
async function isListening(name: string, runtime: Runtime): Promise<boolean> {
  const other = { ...runtime, env: { ...runtime.env, PAYCLI_SANDBOX: name } };
  return (await findListening(other).catch(() => undefined)) !== undefined;
}

/** The flag that a suggested command needs to be about the same sandbox; empty for the default one. */
export function nameFlag(runtime: Runtime): string {
  const name = sandboxName(runtime);
  return name === 'default' ? '' : ` --name ${name}`;
}
