import { shownPath } from './file-access.js';

export const profileClasses = ['sandbox', 'test', 'live'] as const;
/** In rising order of caution: a class may be raised from outside the profile, never lowered. */
export type ProfileClass = (typeof profileClasses)[number];

/** A value and where it came from, in words. */
export interface Sourced<T> {
  readonly value: T;
  readonly origin: string;
}

/** Where a secret will be read from, once it is needed. `environment` is a variable that names a file. */
export type SecretSource =
  | { readonly kind: 'file'; readonly path: string; readonly origin: string }
  | { readonly kind: 'stdin'; readonly origin: string }
  | { readonly kind: 'descriptor'; readonly descriptor: number; readonly origin: string }
  | { readonly kind: 'environment'; readonly name: string; readonly origin: string }
  /** `since`: when paycli stored the key, which the keyring does not say. */
  | { readonly kind: 'keyring'; readonly account: string; readonly origin: string; readonly since?: number }
  | { readonly kind: 'helper'; readonly command: readonly string[]; readonly origin: string };

export type TextKey =
  | 'class'
  | 'base-url'
  | 'login'
  | 'endpoint-id'
  | 'ca-file'
  | 'server-callback-url'
  | 'redirect-url'
  | 'notify-url'
  | 'ask-first'
  | 'repeat-window';
export type SecretKey = 'control-key' | 'private-key' | 'passphrase';

/** What one source says about a connection; every value is already checked. */
export interface Draft {
  readonly texts: Readonly<Partial<Record<TextKey, Sourced<string>>>>;
  readonly secrets: Readonly<Partial<Record<SecretKey, SecretSource>>>;
}

export const emptyDraft: Draft = { texts: {}, secrets: {} };

/** A value with its origin. `hidden` values are set, but another source wins. */
export interface ExplainRow {
  readonly key: string;
  readonly value: string;
  readonly origin: string;
  readonly hidden: boolean;
}

/** Merges the sources, the strongest first, value by value; what loses is returned as well. */
export function overlay(layers: readonly Draft[]): { readonly draft: Draft; readonly hidden: readonly ExplainRow[] } {
  const texts: Partial<Record<TextKey, Sourced<string>>> = {};
  const secrets: Partial<Record<SecretKey, SecretSource>> = {};
  for (const layer of [...layers].reverse()) {
    Object.assign(texts, layer.texts);
    Object.assign(secrets, layer.secrets);
  }
  const draft = { texts, secrets };
  const winners = new Set(explainRows(draft, false).map((row) => `${row.key} ${row.origin}`));
  const losers = layers
    .flatMap((layer) => explainRows(layer, true))
    .filter((row) => !winners.has(`${row.key} ${row.origin}`));
  return { draft, hidden: losers };
}

export function explainRows(draft: Draft, hidden: boolean): ExplainRow[] {
  const texts = Object.entries(draft.texts).map(([key, { value, origin }]) => ({ key, value, origin, hidden }));
  const secrets = Object.entries(draft.secrets).map(([key, source]) => ({
    key,
    value: secretLocation(source),
    origin: source.origin,
    hidden,
  }));
  return [...texts, ...secrets];
}

/** The place a secret is read from; never any part of the secret. */
export function secretLocation(source: SecretSource): string {
  switch (source.kind) {
    case 'file':
      return `file ${shownPath(source.path)}`;
    case 'stdin':
      return 'standard input';
    case 'descriptor':
      return `descriptor ${source.descriptor}`;
    case 'environment':
      return `the file named by ${source.name}`;
    case 'keyring':
      return `keyring entry ${source.account}`;
    case 'helper':
      // Without its arguments, which may hold secrets.
      return `helper ${source.command[0] ?? ''}`;
  }
}

/** The forms a result is printed in: `-o`, PAYCLI_OUTPUT and `output` of configuration files. */
export const outputFormats = ['text', 'json', 'ndjson', 'csv', 'yaml', 'table'] as const;

export type OutputFormat = (typeof outputFormats)[number];

export function isOutputFormat(word: string): word is OutputFormat {
  return outputFormats.some((form) => form === word);
}

/** True where a program reads what is printed: errors are one JSON object then. */
export function isMachineReadable(form: string | undefined): boolean {
  return form === 'json' || form === 'ndjson' || form === 'yaml';
}
