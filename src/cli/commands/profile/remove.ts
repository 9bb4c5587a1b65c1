import { applyChanges, writeUserFile } from '../../../config/edit.js';
import { ownKeyStore, removeStoredKey } from '../../../config/key-store.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import { findAll } from '../../../journal/pages.js';
import { unresolvedStates } from '../../../journal/states.js';
import { nameOf } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, on } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { inJournal } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { confirmChange, isDefaultIn, openUserProfile } from './user-file.js';

interface RemoveFlags extends CommonOptions {
  readonly yes?: boolean;
}

export const profileRemove = defineCommand({
  summary: 'Remove a profile from the user file, and its stored key',
  args: { profile: { text: 'a profile of the user file', ask: 'name of the profile to remove' } },
  flags: {
    yes: on('do not ask for confirmation'),
    noInput: on('never prompt'),
    ...outputFlags,
  } satisfies FlagsFor<RemoveFlags>,
  examples: ['profile remove shop-live --yes'],
  effect: 'local',
  result: ['profile-removed'],
  run: ({ args: { profile }, flags, runtime }) => runProfileRemove(profile, flags, runtime),
});

/** Removes a profile from the user file, and the key paycli stored for it. The user's own key files stay. */
async function runProfileRemove(name: string, options: RemoveFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { before, current, layer } = openUserProfile(name, runtime);
  const stores = (['control-key', 'journal-key', 'journal-password'] as const).flatMap(
    (key) => ownKeyStore({ profile: name, key }, current, runtime.files) ?? [],
  );
  const stored = stores.map(({ key, place }) => ` and its ${key.replace('-', ' ')} (${place})`).join('');
  const what = `profile ${name} (class ${layer.class?.value})${stored}`;
  const open = await openText(name, runtime);
  const whole = open === undefined ? what : `${what}; ${open}`;
  const asked = {
    verb: 'remove',
    message: `remove ${whole}?`,
    why: `removing ${whole}`,
    done: 'removed',
    profile: name,
  };
  if (options.yes !== true) await confirmChange(asked, options, runtime);
  const wasDefault = isDefaultIn(current, name);
  const after = applyChanges(
    before,
    [{ path: ['profiles', name] }, ...(wasDefault ? [{ path: ['default-profile'] } as const] : [])],
    runtime.files,
  );
  writeUserFile(after, runtime.files);
  for (const store of stores)
    await removeStoredKey(store, runtime).catch((error: unknown) => {
      if (!isPaycliError(error)) throw error;
      const how = `profile ${name} was removed, but its key still exists: remove it manually`;
      throw fail(error.code, { ...error.facts, how });
    });
  await report.show({
    document: {
      ...{ schema: 'paycli.profile-removed/1', profile: name, file: after.path },
      ...{ removedKey: stores[0]?.place ?? null, wasDefault },
    },
    text: () => `removed ${what}${stores.length === 0 ? '; its keys are in your own files, which are kept' : ''}\n`,
  });
  if (open !== undefined)
    report.warn([`${open}; to resolve them, add a profile with the same address, login and key again`]);
  if (wasDefault && after.content.profiles.size > 0)
    report.notes(['there is no default profile now; choose one with `paycli profile set NAME --default`']);
  return 0;
}

/** The requests of the profile that still have no final outcome, which only its keys can query. */
async function openText(profile: string, runtime: Runtime): Promise<string | undefined> {
  const names: string[] = [];
  await inJournal(runtime, 'own', undefined, async (journal) => {
    for await (const request of findAll(journal, { profile, states: unresolvedStates })) names.push(nameOf(request));
  });
  const different = [...new Set(names)];
  const shown = different.length > 5 ? [...different.slice(0, 5), 'and more'] : different;
  const requests = names.length === 1 ? '1 request' : `${names.length} requests`;
  return names.length === 0 ? undefined : `the outcome of ${requests} is still open (${shown.join(', ')})`;
}
