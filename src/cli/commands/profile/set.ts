import { applyChanges, type Change, writeUserFile } from '../../../config/edit.js';
import { fail } from '../../../errors/index.js';
import { defineCommand, list, on } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { readSettings, settingFlags, textsIn } from './settings.js';
import { confirmChange, openUserProfile, writtenIn } from './user-file.js';

export const profileSet = defineCommand({
  summary: 'Change a profile in the user file, its assumptions, or which one is the default',
  help: 'Invalid values are rejected before anything is written. `paycli profile set-key` replaces secrets; every other setting is changed in the file itself, see `paycli help profiles`.',
  args: { profile: { text: 'a profile of the user file' } },
  flags: {
    default: on('make it the default profile'),
    ...settingFlags,
    assume: list('<id=value>', 'set an assumption, by its id or switch; ID= resets it to its default; repeatable'),
    yes: on('do not ask for confirmation with a live profile'),
    noInput: on('never prompt'),
    ...outputFlags,
  },
  examples: [
    'profile set shop-test --default',
    'profile set shop-test --endpoint-id 4002 --endpoint EUR=4003',
    'profile set shop-test --assume A03=minor --assume control-encoding=hex-upper',
  ],
  effect: 'local',
  result: ['profile-set'],
  async run({ args: { profile: name }, flags: options, runtime }) {
    const report = new Reporter(options, undefined, runtime);
    const profile = openUserProfile(name, runtime);
    const { working: folder, home } = runtime.files.folders;
    const given = { texts: textsIn(options), endpoints: options.endpoint, assume: options.assume };
    const changes = readSettings(given, writtenIn(profile, name), { folder, home });
    if (changes.length === 0 && options.default !== true)
      throw fail('USAGE', { why: 'add a flag that says what to change' });
    const changed = changes.map(({ path }) => path.join('.'));
    const isLive = profile.layer.class?.value === 'live';
    const edits = changes.map(({ path, value }): Change => ({ path: ['profiles', name, ...path], value }));
    if (options.default === true) edits.push({ path: ['default-profile'], value: name });
    const after = applyChanges(profile.before, edits, runtime.files);
    if (isLive && changes.length > 0 && options.yes !== true)
      await confirmChange('change', `${changed.join(', ')} of the live profile ${name}`, name, options, runtime);
    writeUserFile(after, runtime.files);
    const isDefault = after.content.common.profile?.value === name;
    const done = [...changed.map((key) => `${key} changed`), ...(options.default === true ? ['now the default'] : [])];
    await report.show({
      document: { schema: 'paycli.profile-set/1', profile: name, file: after.path, changed, isDefault },
      text: () => `profile ${name}: ${done.join(', ')} (${after.path})\n`,
    });
    if (options.default === true && isLive)
      report.warn([`profile ${name} is live and moves real money: every command that queries or sends needs --live`]);
    return 0;
  },
});
