import type { ConfigContent } from '../../../config/content.js';
import { applyChanges, readUserFile, writeUserFile } from '../../../config/edit.js';
import { readEnvironment } from '../../../config/environment.js';
import { printableName } from '../../../config/file-access.js';
import { builtInSandbox } from '../../../config/index.js';
import { keyStoreOf, removeStoredKey } from '../../../config/key-store.js';
import { readSources } from '../../../config/sources.js';
import { fail, isPaycliError, nearest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { mayPrompt } from '../../core/resolve-fields.js';

/** Where a choice comes from that goes before the default of the user file. */
export async function overridesDefault(name: string, runtime: Runtime): Promise<string | undefined> {
  const { profile, connection } = readEnvironment(runtime.env);
  if (profile !== undefined) return profile.value === name ? undefined : profile.origin;
  if (connection.length > 0) return connection.join(', ');
  const { project } = await readSources(runtime);
  return project?.defaultProfile?.value === name ? undefined : project?.defaultProfile?.origin;
}

/** Makes a profile of the user file the default one. */
export async function runProfileUse(name: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const before = readUserFile(runtime.files);
  const after = applyChanges(before, [{ kind: 'default', name }], runtime.files);
  if (name !== builtInSandbox && !after.content.profiles.has(name)) throw unknownProfile(name, after.content);
  writeUserFile(after, runtime.files);
  const stronger = await overridesDefault(name, runtime);
  await report.show({
    document: { schema: 'paycli.profile-used/1', profile: name, file: after.path, hiddenBy: stronger ?? null },
    text: () => `${name} is the default profile now (${after.path})\n`,
  });
  if (stronger !== undefined) report.warn([`here something else goes before it: ${stronger}`]);
  return 0;
}

export interface RemoveOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** Takes a profile out of the user file, and the key paycli stored for it. Keys in files of the user stay. */
export async function runProfileRemove(name: string, options: RemoveOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const before = readUserFile(runtime.files);
  const { content } = applyChanges(before, [], runtime.files);
  const profile = content.profiles.get(name);
  if (profile === undefined) throw unknownProfile(name, content);
  const store = keyStoreOf(name, content, runtime.files);
  const what = `profile ${name} (class ${profile.class})${store === undefined ? '' : ` and its control key, ${store.place}`}`;
  if (options.yes !== true) await confirm(what, options, runtime);
  const isDefault = content.defaultProfile?.value === name;
  const after = applyChanges(
    before,
    [{ kind: 'remove', name }, ...(isDefault ? [{ kind: 'no-default' } as const] : [])],
    runtime.files,
  );
  writeUserFile(after, runtime.files);
  if (store !== undefined) await removeStoredKey(store, runtime).catch((error: unknown) => keyLeftBehind(error, name));
  const kept = store === undefined ? '; paycli keeps no key of its own for it, so keys in files stay' : '';
  await report.show({
    document: {
      ...{ schema: 'paycli.profile-removed/1', profile: name, file: after.path },
      ...{ removedKey: store?.place ?? null, wasDefault: isDefault },
    },
    text: () => `removed ${what}${kept}\n`,
  });
  if (isDefault && after.content.profiles.size > 0)
    report.notes(['there is no default profile now; choose one with `paycli profile use NAME`']);
  return 0;
}

async function confirm(what: string, options: CommonOptions, runtime: Runtime): Promise<void> {
  if (!mayPrompt(options, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `removing ${what} needs a yes, and there is no terminal to ask on`,
      how: 'add --yes if that is meant',
    });
  const prompter = await runtime.prompter(options.color);
  const answer = await prompter.ask({
    name: 'remove',
    message: `remove ${what}?`,
    choices: ['no', 'yes'],
    initial: 'no',
  });
  if (answer !== 'yes') throw fail('CONFIRMATION_NEEDED', { why: 'nothing was removed', how: 'the answer was no' });
}

function unknownProfile(name: string, { profiles, path }: ConfigContent): Error {
  const known = [...profiles.keys()];
  const meant = nearest(name, known);
  const hint = meant === undefined ? ' in the user file' : `; did you mean ${meant}?`;
  return fail('PROFILE_UNKNOWN', { name: printableName(name), hint, known: known.join(', ') || 'none', file: path });
}

function keyLeftBehind(error: unknown, name: string): never {
  if (!isPaycliError(error)) throw error;
  throw fail(error.code, {
    ...error.facts,
    how: `profile ${name} is removed, but its key is still there: remove it by hand`,
  });
}
