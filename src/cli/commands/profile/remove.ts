import { applyChanges, readUserFile, writeUserFile } from '../../../config/edit.js';
import { keyStoreOf, removeStoredKey } from '../../../config/key-store.js';
import { fail, ifInterrupted, isPaycliError, shellWord } from '../../../errors/index.js';
import { findAll } from '../../../journal/pages.js';
import { unresolvedStates } from '../../../journal/states.js';
import { nameOf } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import { mayPrompt, saysYes } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { inJournal, journalInUse } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { unknownProfile } from './user-profile.js';

interface RemoveOptions extends CommonOptions {
  readonly yes?: boolean;
}

export const profileRemove = defineCommand<RemoveOptions>({
  name: 'profile remove',
  summary: 'Remove a profile from the user file, and its stored key',
  args: [['<profile>', '']],
  options: [
    ['--yes', 'do not ask for confirmation'],
    ['--no-input', 'never prompt'],
  ],
  examples: ['profile remove shop-live --yes'],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere', 'interrupted'],
  prints: ['profile-removed'],
  run: ({ args: [name = ''], options, runtime }) => runProfileRemove(name, options, runtime),
});

/** Removes a profile from the user file, and the key paycli stored for it. The user's own key files stay. */
async function runProfileRemove(name: string, options: RemoveOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const before = readUserFile(runtime.files);
  const { content } = applyChanges(before, [], runtime.files);
  const profile = content.profiles.get(name);
  if (profile === undefined) throw unknownProfile(name, content);
  const store = keyStoreOf(name, content, runtime.files);
  const stored = store === undefined ? '' : ` and its control key (${store.place})`;
  const what = `profile ${name} (class ${profile.class})${stored}`;
  const open = await openText(name, runtime);
  if (options.yes !== true) await confirm(name, open === undefined ? what : `${what}; ${open}`, options, runtime);
  const isDefault = content.defaultProfile?.value === name;
  const after = applyChanges(
    before,
    [{ path: ['profiles', name] }, ...(isDefault ? [{ path: ['default-profile'] } as const] : [])],
    runtime.files,
  );
  writeUserFile(after, runtime.files);
  if (store !== undefined)
    await removeStoredKey(store, runtime).catch((error: unknown) =>
      keyLeftBehind(error, `profile ${name} was removed`),
    );
  const kept = store === undefined ? '; its keys are in your own files, which are kept' : '';
  await report.show({
    document: {
      ...{ schema: 'paycli.profile-removed/1', profile: name, file: after.path },
      ...{ removedKey: store?.place ?? null, wasDefault: isDefault },
    },
    text: () => `removed ${what}${kept}\n`,
  });
  if (open !== undefined)
    report.warn([`${open}; to resolve them, add a profile with the same address, login and key again`]);
  if (isDefault && after.content.profiles.size > 0)
    report.notes(['there is no default profile now; choose one with `paycli profile set NAME --default`']);
  return 0;
}

/** The requests of the profile that still have no final outcome, which only its keys can query. */
async function openText(profile: string, runtime: Runtime): Promise<string | undefined> {
  const names = new Set<string>();
  let count = 0;
  await inJournal(runtime, await journalInUse(profile, runtime), undefined, async (journal) => {
    for await (const request of findAll(journal, { profile, states: unresolvedStates })) {
      count += 1;
      names.add(nameOf(request));
    }
  });
  if (count === 0) return undefined;
  const shown = names.size > 5 ? [...[...names].slice(0, 5), 'and more'] : [...names];
  const requests = count === 1 ? '1 request' : `${count} requests`;
  return `the outcome of ${requests} is still open (${shown.join(', ')})`;
}

async function confirm(name: string, what: string, options: CommonOptions, runtime: Runtime): Promise<void> {
  if (!mayPrompt(options, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `removing ${what} must be confirmed, and there is no terminal to prompt on`,
      how: 'add --yes if that is intended',
    });
  const isAgreed = await saysYes('remove', `remove ${what}?`, options, runtime).catch(
    ifInterrupted('nothing was removed'),
  );
  if (!isAgreed)
    throw fail('CANCELLED', {
      why: 'nothing was removed',
      how: `\`paycli profile show ${shellWord(name, 'PROFILE')}\` shows it`,
      profile: name,
    });
}

/** Throws the error for a stored key that could not be removed after everything else was done. */
function keyLeftBehind(error: unknown, done: string): never {
  if (!isPaycliError(error)) throw error;
  throw fail(error.code, {
    ...error.facts,
    how: `${done}, but its key still exists: remove it manually`,
  });
}
