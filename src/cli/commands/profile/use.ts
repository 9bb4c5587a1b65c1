import { applyChanges, readUserFile, writeUserFile } from '../../../config/edit.js';
import { builtInSandbox, loadProfile } from '../../../config/index.js';
import { isPaycliError, type PaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { overridesDefault, unknownProfile } from './user-profile.js';

export const profileUse = defineCommand({
  name: 'profile use',
  summary: 'Make a profile the default',
  args: [['<profile>', 'a profile, or sandbox']],
  examples: ['profile use shop-test'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['profile-used'],
  run: ({ args: [name = ''], options, runtime }) => runProfileUse(name, options, runtime),
});

/** Makes a profile of the user file the default one. */
async function runProfileUse(name: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const before = readUserFile(runtime.files);
  const after = applyChanges(before, [{ kind: 'default', name }], runtime.files);
  if (name !== builtInSandbox && !after.content.profiles.has(name)) throw unknownProfile(name, after.content);
  writeUserFile(after, runtime.files);
  const overriddenBy = await overridesDefault(name, runtime);
  await report.show({
    document: { schema: 'paycli.profile-used/1', profile: name, file: after.path, hiddenBy: overriddenBy ?? null },
    text: () => `${name} is now the default profile (${after.path})\n`,
  });
  const isLive = after.content.profiles.get(name)?.draft.texts.class?.value === 'live';
  const fault = await faultOf(name, runtime);
  if (fault !== undefined) report.warn([`every command that uses it will fail: ${fault.message}; ${fault.next}`]);
  else if (isLive)
    report.warn([
      `profile ${name} is live and moves real money: every command that queries or sends with it needs --live`,
    ]);
  if (overriddenBy !== undefined) report.warn([`it has no effect here, because it is overridden by ${overriddenBy}`]);
  return 0;
}

/** Why no command can use this profile, such as a class that does not fit its address. */
async function faultOf(name: string, runtime: Runtime): Promise<PaycliError | undefined> {
  try {
    await loadProfile({ profile: name }, runtime);
    return undefined;
  } catch (error) {
    if (isPaycliError(error)) return error;
    throw error;
  }
}
