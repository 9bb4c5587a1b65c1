import { printableName } from './file-access.js';

/** A mapping from a file, safe to walk. */
export type Mapping = Readonly<Record<string, unknown>>;

const secretWords: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^(?:merchant)?control(?:key)?$|^(?:merchant)?key$/,
    'write control-key-file with the path of a file that holds the key',
  ],
  [/^(?:rsa|merchant)?privatekey(?:pem)?$|^signingkey$/, 'write private-key-file with the path of the PEM file'],
  [/passphrase$/, 'write passphrase-file with the path of a file that holds it'],
  [
    /(?:password|passwd|pwd|secret|token|apikey|credentials?)$/,
    'keep it in a file of its own and name that file with control-key-file, private-key-file or passphrase-file',
  ],
  [
    /^(?:cvv|cvc|csc)\d?$|^(?:credit)?card(?:number|no)$|^pan$/,
    'card data does not belong here; use --card-file or --test-card',
  ],
];

const maxDepth = 8;
const pem = '-----BEGIN';

/**
 * Refuses secrets, imports and prototype names in a file before its schema is checked.
 * Empty entries are dropped.
 */
export function sanitizeConfig(raw: unknown): { readonly data: Mapping; readonly problems: readonly string[] } {
  const sanitizer = new Sanitizer();
  const data = sanitizer.visit(raw, []);
  if (isMapping(data)) return { data, problems: sanitizer.problems };
  return { data: {}, problems: [...sanitizer.problems, 'write the file as a mapping of keys to values'] };
}

class Sanitizer {
  readonly problems: string[] = [];
  // Each part is visited once: YAML aliases can make a small file a huge, even an endless tree.
  readonly #visited = new Map<object, unknown>();

  visit(value: unknown, path: readonly string[]): unknown {
    if (typeof value === 'string' && value.includes(pem))
      this.problems.push(`${nameOf(path)} contains PEM text; name a file that holds it instead`);
    if (!Array.isArray(value) && !isMapping(value)) return value;
    if (this.#visited.has(value)) return this.#visited.get(value);
    if (path.length > maxDepth) {
      this.problems.push(`${nameOf(path.slice(0, 3))} is nested too deeply`);
      return undefined;
    }
    return Array.isArray(value) ? this.#list(value, path) : this.#mapping(value, path);
  }

  #list(value: readonly unknown[], path: readonly string[]): unknown[] {
    const list: unknown[] = [];
    this.#visited.set(value, list);
    for (const [index, item] of value.entries()) list.push(this.visit(item, [...path, String(index + 1)]));
    return list;
  }

  #mapping(value: Mapping, path: readonly string[]): Mapping {
    const copy: Record<string, unknown> = {};
    this.#visited.set(value, copy);
    for (const [key, item] of Object.entries(value)) {
      const problem = problemWith(key, item);
      if (key.includes(pem))
        this.problems.push(`a key of ${nameOf(path)} contains PEM text; name a file that holds it instead`);
      else if (problem !== undefined) this.problems.push(`${nameOf([...path, key])} ${problem}`);
      else if (item !== null && item !== undefined) copy[key] = this.visit(item, [...path, key]);
    }
    return copy;
  }
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** A key with the keys above it, as messages name it. */
export function nameOf(path: readonly string[]): string {
  return path.length === 0 ? 'the file' : path.map(printableName).join('.');
}

function problemWith(key: string, value: unknown): string | undefined {
  if (key === '$import') return 'is not allowed: a file cannot include another';
  if (['__proto__', 'constructor', 'prototype'].includes(key)) return 'is not a valid name';
  if (typeof value === 'object') return undefined;
  const plain = key.toLowerCase().replace(/[-_ .]/g, '');
  const word = secretWords.find(([pattern]) => pattern.test(plain));
  return word === undefined
    ? undefined
    : `is not allowed: secrets and card data do not belong in a configuration file; ${word[1]}`;
}
