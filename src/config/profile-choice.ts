import { fail, nearest, type PaycliError } from '../errors/index.js';
import { secretIn } from '../wire/secret-names.js';
import type { ProfileContent } from './content.js';
import type { EnvironmentSettings } from './environment.js';
import { printableName } from './file-access.js';
import { describesConnection } from './flags.js';
import type { Draft, Sourced } from './settings.js';
import { contentsByPriority, profilesIn, type Sources } from './sources.js';

/** Names the built-in sandbox wherever a profile is named; no file may have a profile of that name. */
export const builtInSandbox = 'sandbox';

/** The names of a connection described by variables or flags alone. */
export const adHocNames = ['environment', 'flags'] as const;

/** Which connection this run is about. `adHoc` is described by variables or flags alone. */
export type Choice =
  | { readonly kind: 'builtIn'; readonly origin: string }
  | {
      readonly kind: 'named';
      readonly name: string;
      readonly content: ProfileContent;
      readonly origin: string;
    }
  | { readonly kind: 'adHoc'; readonly name: (typeof adHocNames)[number]; readonly origin: string };

interface ChoiceInputs {
  readonly flag: string | undefined;
  readonly flags: Draft;
  readonly environment: EnvironmentSettings;
  readonly sources: Sources;
  /** Path of the user file, which may not exist. */
  readonly userFile: string;
  /** The built-in sandbox stands for a profile where none is configured. */
  readonly isOptional: boolean;
}

/**
 * A named profile first, then variables that describe a connection, then the default of the files, then flags alone.
 * The built-in sandbox is used only when it is named: whoever lost their configuration must not seem to have paid.
 */
export function chooseConnection(hints: ChoiceInputs): Choice {
  const { environment, sources, flags } = hints;
  const requested = hints.flag === undefined ? environment.profile : { value: hints.flag, origin: 'flag --profile' };
  if (requested !== undefined) return named(requested, hints);
  if (environment.connection.length > 0)
    return { kind: 'adHoc', name: 'environment', origin: environment.connection.join(', ') };
  const usual = contentsByPriority(sources).find(({ defaultProfile }) => defaultProfile !== undefined)?.defaultProfile;
  if (usual !== undefined) return named(usual, hints);
  if (describesConnection(flags)) return { kind: 'adHoc', name: 'flags', origin: 'flags' };
  if (profilesIn(sources).size > 0) throw fail('PROFILE_NOT_CHOSEN', { file: hints.userFile, known: known(hints) });
  if (!hints.isOptional)
    throw fail('PROFILE_NOT_CHOSEN', {
      why: `no profile is configured in ${hints.userFile}, and none is named`,
      how: '`paycli init` sets one up',
    });
  return { kind: 'builtIn', origin: 'built-in' };
}

function named({ value, origin }: Sourced<string>, hints: ChoiceInputs): Choice {
  if (secretIn(value) !== undefined) throw unknownProfile(value, hints);
  if (value === builtInSandbox) return { kind: 'builtIn', origin };
  const content = profilesIn(hints.sources).get(value);
  if (content !== undefined) return { kind: 'named', name: value, content, origin };
  throw unknownProfile(value, hints);
}

/** The error for a profile that no file has. */
export function unknownProfile(name: string, hints: Pick<ChoiceInputs, 'sources' | 'userFile'>): PaycliError {
  return fail('PROFILE_UNKNOWN', {
    name: printableName(name),
    meant: nearest(name, [...profilesIn(hints.sources).keys(), builtInSandbox]),
    known: known(hints),
    file: hints.userFile,
  });
}

function known({ sources }: Pick<ChoiceInputs, 'sources'>): string {
  return [...profilesIn(sources).keys()].join(', ') || 'none';
}
