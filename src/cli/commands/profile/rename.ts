import { nameProblem } from '../../../config/content.js';
import { applyChanges, type Change, type EditedConfig, writeUserFile } from '../../../config/edit.js';
import { listProfiles } from '../../../config/index.js';
import {
  type KeyStore,
  keySince,
  keyStore,
  keyStoreOf,
  readStoredKey,
  removeStoredKey,
  storeWithAge,
  writeStoredKey,
} from '../../../config/key-store.js';
import { readSources } from '../../../config/sources.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Secret } from '../../../wire/secret.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import type { CommonOptions } from '../../core/options.js';
import { inJournal } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { keyLeftBehind } from './remove.js';
import { orUndo } from './save.js';
import { openUserProfile, type UserProfile } from './user-profile.js';

const command = 'profile rename';

export const profileRename = defineCommand({
  name: command,
  summary: 'Rename a profile in the user file, and its stored key',
  help: `Rename a profile in the user file, and its stored key

Earlier requests keep the old name in the journal: find them with \`paycli orders --profile OLD\`. The daily total is counted by name, so a profile with max-total-per-day that has moved money today can be renamed only after 00:00 UTC. A batch plan stays with the old name: finish the batch first.`,
  args: [
    ['<profile>', 'a profile of the user file'],
    ['<new-name>', 'letters, digits, dots and dashes'],
  ],
  examples: ['profile rename shop-test shop-staging'],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere'],
  prints: ['profile-renamed'],
  run: ({ args: [name = '', to = ''], options, runtime }) => runProfileRename(name, to, options, runtime),
});

async function runProfileRename(name: string, to: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const profile = await openUserProfile(name, command, runtime);
  const { before, current } = profile;
  await checkNewName(to, runtime);
  await checkDayTotal(profile, runtime);
  const isDefault = current.defaultProfile?.value === name;
  const moved = await movedKey(profile, to, runtime);
  const after = applyChanges(before, changes(name, to, isDefault, moved), runtime.files);
  await write(after, moved, `profile ${name} is now ${to}`, runtime);
  await report.show({
    document: {
      ...{ schema: 'paycli.profile-renamed/1', profile: to, formerName: name, file: after.path },
      ...{ controlKey: moved?.store.place ?? null, isDefault },
    },
    text: () => {
      const key = moved === undefined ? '' : `; its control key is now in ${moved.store.place}`;
      return `profile ${name} is now ${to} (${after.path})${key}\n`;
    },
  });
  const { project } = await readSources(runtime);
  if (project?.defaultProfile?.value === name)
    report.warn([`${project.defaultProfile.origin} still names ${name} as the default profile: change it there`]);
  return 0;
}

/** Throws USAGE for an invalid name or one in use. */
async function checkNewName(to: string, runtime: Runtime): Promise<void> {
  const problem = nameProblem(to);
  if (problem !== undefined) throw fail('USAGE', { why: `the profile ${problem}`, command });
  const taken = (await listProfiles(runtime)).find((profile) => profile.name === to);
  if (taken !== undefined) throw fail('USAGE', { why: `profile ${to} already exists in ${taken.file}`, command });
}

/** Throws CAP_EXCEEDED where the rename would reset the daily total. */
async function checkDayTotal({ name, content }: UserProfile, runtime: Runtime): Promise<void> {
  const now = runtime.clock.now();
  const spent = await inJournal(runtime, [], (journal) =>
    content.caps.maxTotalPerDay
      .map(({ currency }) => currency)
      .filter((currency) => journal.spentSince(name, now - (now % dayMs), currency) > 0n),
  );
  if (spent.length > 0) throw fail('renameRestartsDayTotal', { profile: name, currencies: spent.join(', ') });
}

const dayMs = 86_400_000;

/** The control key that paycli stores for this profile. */
interface MovedKey {
  readonly from: KeyStore;
  readonly store: KeyStore;
  readonly controlKey: Secret;
}

async function movedKey(profile: UserProfile, to: string, runtime: Runtime): Promise<MovedKey | undefined> {
  const from = keyStoreOf(profile.name, profile.current, runtime.files);
  const controlKey = from === undefined ? undefined : await readStoredKey(from, runtime);
  if (from === undefined || controlKey === undefined) return undefined;
  const since = keySince(profile.content.draft.secrets['control-key'], runtime.files) ?? undefined;
  const store = storeWithAge(keyStore(from.name, to, runtime.files), since);
  if ((await readStoredKey(store, runtime)) !== undefined)
    throw fail('newKeyInTheWay', { place: store.place, profile: to, command });
  return { from, store, controlKey };
}

/** Writes the key, then the profile that names it; signals wait until it is done. Throws STORAGE. */
async function write(after: EditedConfig, moved: MovedKey | undefined, done: string, runtime: Runtime): Promise<void> {
  if (moved === undefined) return writeUserFile(after, runtime.files);
  const { from, store, controlKey } = moved;
  const unlisten = runtime.processes.onStop(() => undefined);
  try {
    await writeStoredKey(store, controlKey, runtime);
    await orUndo(
      () => writeUserFile(after, runtime.files),
      () => removeStoredKey(store, runtime),
    );
    await removeStoredKey(from, runtime).catch((error: unknown) => keyLeftBehind(error, done));
  } finally {
    unlisten();
  }
}

function changes(name: string, to: string, isDefault: boolean, moved: MovedKey | undefined): readonly Change[] {
  return [
    { kind: 'rename', name, to },
    ...(isDefault ? [{ kind: 'default', name: to } as const] : []),
    ...Object.entries(moved?.store.setting ?? {}).map(
      ([key, value]) => ({ kind: 'set', name: to, key, value }) as const,
    ),
  ];
}
