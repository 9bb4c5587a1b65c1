import { builtInSandbox } from './choice.js';
import type { ExplainRow } from './draft.js';
import type { Loaded } from './profile.js';

/** Every value in force and where it came from, and those a stronger source hides. Keys are shown by their place only. */
export function explain({ profile, settings, defaults, origins, hidden }: Loaded): ExplainRow[] {
  const row = (key: string, value: string, origin: string): ExplainRow => ({ key, value, origin, hidden: false });
  const set = { output: settings.output, timeout: settings.timeoutSeconds, 'no-input': settings.noInput };
  const assumed = Object.entries(profile?.assumeOrigins ?? {});
  return [
    row('profile', profile?.name ?? builtInSandbox, origins['profile'] ?? ''),
    ...(profile?.rows ?? []),
    ...assumed.map(([name, origin]) =>
      row(`assume.${name}`, Object.entries(profile?.assume ?? {}).find(([key]) => key === name)?.[1] ?? '', origin),
    ),
    ...Object.entries(defaults).map(([key, { value, origin }]) => row(`defaults.${key}`, value, origin)),
    ...Object.entries(set).flatMap(([key, value]) => (value === undefined ? [] : [row(key, String(value), origins[key] ?? '')])),
    ...hidden,
  ];
}
