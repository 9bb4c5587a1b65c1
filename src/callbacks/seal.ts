import { openSecrets, type Secrets } from '../journal/secrets.js';

/** Encrypts texts, and recognises equal ones by keyed hashes. */
export interface Seal {
  /** Encrypts a text; it opens only with the same `about`, which is authenticated with it. */
  seal(text: string, about: string): string;
  /** Undefined when none of the keys sealed it, or it was changed. */
  open(sealed: string, about: string): string | undefined;
  /** Hashes by which these parts are recognised: one for each key, that of the newest first. */
  hashes(parts: readonly string[]): readonly string[];
}

/** One key of the key file. `id` says which key a text was encrypted with, and not what it is. */
interface Key extends Secrets {
  readonly id: string;
}

/** Encrypts with the last of these keys; the others still open what they sealed. `keys` is called at each use. */
export function openSeal(keys: () => readonly string[]): Seal {
  const derived = new Map<string, Key>();
  const keyOf = (key: string): Key => {
    const known = derived.get(key) ?? keyFrom(key);
    derived.set(key, known);
    return known;
  };
  const all = (): readonly Key[] => keys().map(keyOf).reverse();
  return {
    seal(text, about) {
      const [key] = all();
      if (key === undefined) throw new Error('a seal needs a key');
      return `${key.id}.${key.encrypt(text, about)}`;
    },
    open(sealed, about) {
      const [id, content = ''] = sealed.split('.');
      return all()
        .find((each) => each.id === id)
        ?.decrypt(content, about);
    },
    hashes: (parts) => all().map((key) => key.hash(parts)),
  };
}

function keyFrom(key: string): Key {
  const secrets = openSecrets(key);
  return { ...secrets, id: secrets.hash(['id of this key']).slice(0, 16) };
}
