import type { Choice } from './choice.js';
import type { ExplainRow, Sourced } from './draft.js';
import type { EnvironmentSays } from './environment.js';
import { contentsOf, type Sources } from './sources.js';

/** What a stronger source hides, besides the values of the connection: other choices of the profile, settings, defaults. */
export function hiddenBy(choice: Choice, asked: string | undefined, environment: EnvironmentSays, sources: Sources): ExplainRow[] {
  const contents = contentsOf(sources);
  const flag = asked === undefined ? undefined : { value: asked, origin: 'flag --profile' };
  const choices = [flag, environment.profile, ...contents.map(({ defaultProfile }) => defaultProfile)];
  const inForce = choice.kind === 'named' ? choice.content.file : undefined;
  return [
    ...rowsOf('profile', choices).filter(({ origin }) => origin !== choice.origin),
    ...replacedProfiles(choice, sources),
    ...rowsOf('output', [environment.output, ...contents.map(({ output }) => output)]).slice(1),
    ...rowsOf('timeout', [environment.timeoutSeconds, ...contents.map(({ timeoutSeconds }) => timeoutSeconds)]).slice(1),
    ...hiddenDefaults(
      contents.flatMap(({ path, defaults }) => [inForce === path && choice.kind === 'named' ? choice.content.defaults : {}, defaults]),
    ),
  ];
}

function rowsOf(key: string, values: readonly (Sourced<unknown> | undefined)[]): ExplainRow[] {
  return values.filter((value) => value !== undefined).map(({ value, origin }) => ({ key, value: String(value), origin, hidden: true }));
}

/** A profile of the project file stands in for one of the user file as a whole. */
function replacedProfiles(choice: Choice, { user }: Sources): ExplainRow[] {
  if (choice.kind !== 'named' || user === undefined || choice.content.file === user.path || !user.profiles.has(choice.name)) return [];
  return [{ key: 'profile', value: `${choice.name}, all of it`, origin: `${user.path}: profiles.${choice.name}`, hidden: true }];
}

/** `layers` with the strongest first. */
function hiddenDefaults(layers: readonly Readonly<Record<string, Sourced<string>>>[]): ExplainRow[] {
  return layers.flatMap((layer, at) =>
    Object.entries(layer)
      .filter(([key]) => layers.slice(0, at).some((stronger) => key in stronger))
      .map(([key, { value, origin }]) => ({ key: `defaults.${key}`, value, origin, hidden: true })),
  );
}
