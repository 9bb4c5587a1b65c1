import { isMapping, profileSettings, type runSettings, type SecretSource, secretLocation } from './settings.js';

type AllSettings = typeof profileSettings & typeof runSettings;

/** A value and where it came from, in words. */
export interface Sourced<T> {
  readonly value: T;
  readonly origin: string;
}

/**
 * What one source says, by the name of the setting. Entries of `endpoints`, `assume` and `defaults` are settings of
 * their own: `defaults.orderDesc`.
 */
export type Layer = {
  readonly [Key in keyof AllSettings]?: Sourced<ReturnType<AllSettings[Key]['read']>>;
} & { readonly [Key in `${'assume' | 'defaults' | 'endpoints'}.${string}`]?: Sourced<string> };

/** One value of a layer. */
export function layerWith(key: string, value: unknown, origin: string): Layer {
  return { [key]: { value, origin } } as Layer;
}

/** The values of a layer whose names `isKept` accepts. */
export function pick(layer: Layer, isKept: (key: string) => boolean): Layer {
  return Object.fromEntries(Object.entries(layer).filter(([key]) => isKept(key))) as Layer;
}

/** A value in force and where it came from. Of a secret, its place. */
export interface ExplainRow {
  readonly key: string;
  readonly value: string;
  readonly origin: string;
}

/** Every source wins over those after it, value by value. */
export function merge(layers: readonly Layer[]): Layer {
  return Object.assign({}, ...[...layers].reverse());
}

/** The values in force, in the order of the settings. */
export function rowsOf(values: Layer): ExplainRow[] {
  const order = ['profile', ...Object.keys(profileSettings)];
  const rank = ({ key }: ExplainRow) => (order.includes(key) ? order.indexOf(key) : order.length);
  return Object.entries<Sourced<unknown>>(values as never)
    .map(([key, { value, origin }]) => ({ key, value: shownValue(value), origin }))
    .sort((a, b) => rank(a) - rank(b));
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  // Only a timeout is a number.
  if (typeof value === 'number') return `${value}s`;
  if (!isMapping(value)) return String(value);
  return 'shown' in value ? String(value['shown']) : secretLocation(value as unknown as SecretSource);
}

/** The part of a layer below one of its mappings, such as `defaults`. */
export function entriesBelow(layer: Layer, mapping: 'assume' | 'defaults' | 'endpoints') {
  const start = `${mapping}.`;
  return Object.entries(layer).flatMap(([key, entry]) =>
    key.startsWith(start) ? [[key.slice(start.length), entry as Sourced<string>] as const] : [],
  );
}
