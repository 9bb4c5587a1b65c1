import { builtInSandbox, type LoadedProfile, listProfiles, loadProfile } from '../../../config/index.js';
import { isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';
import { printable } from '../../../wire/redact.js';
import { defineCommand, on } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import type { DocumentOf } from '../../results.js';
import { ProfileKeys } from '../../session.js';

export const profileShow = defineCommand({
  summary: 'The profiles, or one of them: its values, their origins, its keys by fingerprint',
  help: 'Without a name it lists the profiles of the user file. --origins shows the connection in use, or that of the profile: every value, and where it comes from.',
  args: { profile: { text: 'a profile, or sandbox', isOptional: true } },
  flags: {
    origins: on('show where each value comes from'),
    ...connectionFlags,
    ...outputFlags,
  },
  examples: ['profile show', 'profile show shop-live --json', 'profile show --origins --login other'],
  effect: 'local',
  result: ['profiles', 'profile'],
  run: ({ args, flags, runtime }) => {
    const { origins = false, baseUrl, login, endpointId } = flags;
    const profile = args.profile ?? flags.profile;
    const isOne = origins || (profile ?? baseUrl ?? login ?? endpointId) !== undefined;
    return isOne ? showOne({ ...flags, ...(profile && { profile }) }, origins, runtime) : listAll(flags, runtime);
  },
});

async function listAll(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter<DocumentOf<'profiles'>>(options, undefined, runtime);
  const profiles = (await listProfiles(runtime)).map(({ baseUrl, login, ...listed }) => ({
    ...listed,
    ...{ baseUrl: baseUrl ?? null, login: login ?? null },
  }));
  await report.show({
    document: { schema: 'paycli.profiles/1', profiles },
    list: 'profiles',
    sheet: () => ({
      columns: [
        ...[{ head: 'profile' }, { head: 'class' }, { head: 'default' }],
        ...[{ head: 'address', flexible: true }, { head: 'login' }],
      ],
      rows: profiles.map(({ name, class: kind, isDefault, baseUrl, login }) =>
        [name, kind, isDefault ? 'yes' : '', baseUrl ?? '', login ?? ''].map(oneLine),
      ),
    }),
    empty: 'no profiles yet: `paycli init` sets one up, and --profile sandbox is the built-in sandbox',
  });
  return 0;
}

/** Shows a connection, and its keys by fingerprint. */
async function showOne(options: CommonOptions, hasOrigins: boolean, runtime: Runtime): Promise<number> {
  const loaded = await loadProfile({ profile: options.profile, overrides: options }, runtime);
  const report = new Reporter<DocumentOf<'profile'>>(options, loaded, runtime);
  report.notes(loaded.warnings.map((text) => `warning: ${text}`));
  const facts = factsOf(loaded);
  const keys = await readKeys(loaded, runtime);
  const { values } = facts;
  await report.show({
    document: { schema: 'paycli.profile/1', chosenBy: loaded.chosenBy, ...facts, keys },
    text: () =>
      report.columns(
        [
          ...values.map(({ key, value, origin }) => [key, value, ...(hasOrigins ? [origin] : [])]),
          ...keys.map(({ key, fingerprint, problem }) => [
            `${key}, read`,
            problem === null ? `fingerprint ${fingerprint}` : `cannot be used: ${problem}`,
          ]),
        ].map((row) => row.map(printable)),
      ),
  });
  return 0;
}

function factsOf({ profile, rows: values }: LoadedProfile) {
  if (profile === undefined) return { profile: builtInSandbox, class: 'sandbox', builtin: true, values };
  const { name, class: kind, baseUrl, login, endpointId = null } = profile;
  return { profile: name, class: kind, builtin: false, baseUrl, login, endpointId, values };
}

/** The keys of a profile, each read to check that it is usable. One that is not is a fact here and no error. */
async function readKeys({ profile }: LoadedProfile, runtime: Runtime) {
  if (profile === undefined) return [];
  const keys = new ProfileKeys(profile, runtime);
  const read = async (key: string, fingerprint: () => Promise<string | undefined>) => {
    try {
      return { key, fingerprint: (await fingerprint()) ?? null, problem: null };
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      return { key, fingerprint: null, problem: `${error.message}; ${error.next}` };
    }
  };
  const control = async () => {
    const { controlKey } = await keys.credentials({ scheme: 'control' });
    return controlKey && keyFingerprint(controlKey.open());
  };
  const rsa = async () => (await keys.credentials({ scheme: 'rsa-sha256' })).privateKey?.fingerprint;
  return [
    await read('control-key', control),
    ...(profile.privateKey === undefined ? [] : [await read('private-key', rsa)]),
  ];
}
