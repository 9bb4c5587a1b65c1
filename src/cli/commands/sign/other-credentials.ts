import { listProfiles, loadProfile, type Profile, readSecret } from '../../../config/index.js';
import { isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { openLocalSandbox } from '../../sandbox-session.js';
import type { Session } from '../../session.js';

/** Keys and endpoints, other than those in use, that somebody may have signed with by mistake. */
interface OtherCredentials {
  readonly keys: readonly { readonly name: string; readonly key: string }[];
  readonly endpoints: readonly string[];
}

const noCredentials: OtherCredentials = { keys: [], endpoints: [] };

/**
 * Those of all profiles and, where the built-in sandbox answers, of its merchants. What cannot be read is left out:
 * the diagnosis works without it.
 */
export async function readOtherCredentials(session: Session, runtime: Runtime): Promise<OtherCredentials> {
  const found = [
    await orNone(() => ofProfiles(runtime)),
    session.builtin ? await orNone(() => ofSandbox(runtime)) : noCredentials,
  ];
  return {
    keys: found.flatMap(({ keys }) => keys),
    endpoints: [...new Set(found.flatMap(({ endpoints }) => endpoints))],
  };
}

async function ofProfiles(runtime: Runtime): Promise<OtherCredentials> {
  // PAYCLI_* variables override every profile, which would hide what each has of its own.
  const env = Object.fromEntries(Object.entries(runtime.env).filter(([name]) => !name.startsWith('PAYCLI_')));
  const found: OtherCredentials[] = [];
  for (const { name } of await listProfiles({ ...runtime, env }))
    found.push(
      await orNone(async () => {
        const { profile } = await loadProfile({ profile: name }, { ...runtime, env });
        return profile === undefined ? noCredentials : ofProfile(profile, runtime);
      }),
    );
  return { keys: found.flatMap(({ keys }) => keys), endpoints: found.flatMap(({ endpoints }) => endpoints) };
}

async function ofProfile(profile: Profile, runtime: Runtime): Promise<OtherCredentials> {
  const { controlKey, name } = profile;
  // Standard input and open descriptors can be read only once, and the profile in use has done so.
  const keys =
    controlKey?.kind === 'file' || controlKey?.kind === 'environment'
      ? await orNone(async () => ({
          ...noCredentials,
          keys: [{ name: `profile ${name}`, key: (await readSecret(controlKey, runtime)).secret.open() }],
        }))
      : noCredentials;
  const endpoints = profile.rows
    .filter(({ key }) => key === 'endpoint-id' || key.startsWith('endpoints.'))
    .map(({ value }) => value);
  return { keys: keys.keys, endpoints };
}

async function ofSandbox(runtime: Runtime): Promise<OtherCredentials> {
  const sandbox = await openLocalSandbox(runtime);
  try {
    const merchants = sandbox.merchants();
    return {
      keys: merchants.map(({ login, controlKey }) => ({ name: `merchant ${login}`, key: controlKey })),
      endpoints: merchants.flatMap(({ endpoints }) => endpoints.map(({ id }) => id)),
    };
  } finally {
    sandbox.close();
  }
}

async function orNone(read: () => Promise<OtherCredentials>): Promise<OtherCredentials> {
  try {
    return await read();
  } catch (error) {
    if (isPaycliError(error)) return noCredentials;
    throw error;
  }
}
