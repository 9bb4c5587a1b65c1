import { listProfiles, loadProfile, type Profile, readSecret } from '../../config/index.js';
import { isPaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { openBox } from '../box.js';
import type { Session } from '../session.js';

/** What a signature may have been made with by mistake. */
export interface Others {
  readonly keys: readonly { readonly name: string; readonly key: string }[];
  readonly endpoints: readonly string[];
}

const none: Others = { keys: [], endpoints: [] };

/** Keys and endpoints of the other profiles and, in the sandbox, of its other merchants. What cannot be read is passed over. */
export async function readOthers(session: Session, runtime: Runtime): Promise<Others> {
  const found = [await unlessItFails(() => ofProfiles(runtime)), session.builtin ? await unlessItFails(() => ofSandbox(runtime)) : none];
  return { keys: found.flatMap(({ keys }) => keys), endpoints: [...new Set(found.flatMap(({ endpoints }) => endpoints))] };
}

async function ofProfiles(runtime: Runtime): Promise<Others> {
  // What the environment says of the connection goes for every profile and would hide what each has of its own.
  const env = Object.fromEntries(Object.entries(runtime.env).filter(([name]) => !name.startsWith('PAYCLI_')));
  const found: Others[] = [];
  for (const { name } of await listProfiles({ ...runtime, env }))
    found.push(
      await unlessItFails(async () => {
        const { profile } = await loadProfile({ profile: name }, { ...runtime, env });
        return profile === undefined ? none : ofProfile(profile, runtime);
      }),
    );
  return { keys: found.flatMap(({ keys }) => keys), endpoints: found.flatMap(({ endpoints }) => endpoints) };
}

async function ofProfile(profile: Profile, runtime: Runtime): Promise<Others> {
  const { controlKey, name } = profile;
  // Standard input and open descriptors can be read once, and that was for the profile in use.
  const keys =
    controlKey?.kind === 'file' || controlKey?.kind === 'environment'
      ? await unlessItFails(async () => ({
          ...none,
          keys: [{ name: `profile ${name}`, key: (await readSecret(controlKey, runtime)).secret.open() }],
        }))
      : none;
  const endpoints = profile.rows.filter(({ key }) => key === 'endpoint-id' || key.startsWith('endpoints.')).map(({ value }) => value);
  return { keys: keys.keys, endpoints };
}

async function ofSandbox(runtime: Runtime): Promise<Others> {
  const box = await openBox(runtime);
  try {
    const merchants = box.merchants();
    return {
      keys: merchants.map(({ login, controlKey }) => ({ name: `merchant ${login}`, key: controlKey })),
      endpoints: merchants.flatMap(({ endpoints }) => endpoints.map(({ id }) => id)),
    };
  } finally {
    box.close();
  }
}

async function unlessItFails(read: () => Promise<Others>): Promise<Others> {
  try {
    return await read();
  } catch (error) {
    if (isPaycliError(error)) return none;
    throw error;
  }
}
