import { applyChanges, type Change, writeUserFile } from '../../../config/edit.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import { unresolvedStates } from '../../../journal/states.js';
import { nameOf } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, on } from '../../command.js';
import { inJournal } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { ownKeyStore, removeStoredKey } from './key-store.js';
import { confirmChange, openUserProfile } from './user-file.js';

export const profileRemove = defineCommand({
  summary: 'Remove a profile from the user file, and its stored key',
  args: { profile: { text: 'a profile of the user file', ask: 'name of the profile to remove' } },
  flags: {
    yes: on('do not ask for confirmation'),
    noInput: on('never prompt'),
    ...outputFlags,
  },
  examples: ['profile remove shop-live --yes'],
  effect: 'local',
  result: ['profile-removed'],
  async run({ args: { profile: name }, flags: options, runtime }) {
    const report = new Reporter(options, undefined, runtime);
    const { before, current, layer } = openUserProfile(name, runtime);
    const store = ownKeyStore(name, current, runtime.files);
    const open = await openText(name, runtime);
    const parts = [`profile ${name} (class ${layer.class?.value})`, ...(store === undefined ? [] : [store.place])];
    const what = `${parts.join(' and ')}${open === undefined ? '' : `; ${open}`}`;
    if (options.yes !== true) await confirmChange('remove', what, name, options, runtime);
    const wasDefault = current.common.profile?.value === name;
    const edits: Change[] = [{ path: ['profiles', name] }];
    if (wasDefault) edits.push({ path: ['default-profile'] });
    const after = applyChanges(before, edits, runtime.files);
    writeUserFile(after, runtime.files);
    if (store !== undefined)
      await removeStoredKey(store, runtime).catch((error: unknown) => {
        if (!isPaycliError(error)) throw error;
        const how = `profile ${name} was removed, but its key still exists: remove it manually`;
        throw fail(error.code, { ...error.facts, how });
      });
    if (open !== undefined)
      report.warn([`${open}; to resolve them, add a profile with the same address, login and key again`]);
    await report.show({
      document: {
        ...{ schema: 'paycli.profile-removed/1', profile: name, file: after.path },
        ...{ removedKey: store?.place ?? null, wasDefault },
      },
      text: () => `removed ${what}\n`,
    });
    return 0;
  },
});

/** The requests of the profile that still have no final outcome, which only its keys can query. */
async function openText(profile: string, runtime: Runtime): Promise<string | undefined> {
  const open = await inJournal(runtime, 'own', [], (journal) =>
    journal.find({ profile, states: unresolvedStates }, { limit: 5 }),
  );
  if (open.length === 0) return undefined;
  return `requests on these orders have no final outcome yet: ${[...new Set(open.map(nameOf))].join(', ')}`;
}
