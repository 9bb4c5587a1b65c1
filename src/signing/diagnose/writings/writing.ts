/** A named way in which programs write a text otherwise than it is. */
export interface Writing {
  readonly variant: string;
  /** What became of the text: follows `signed`. */
  readonly detail: string;
  readonly write: (text: string) => string;
}

export const writing = (variant: string, detail: string, write: Writing['write']): Writing => ({
  variant,
  detail,
  write,
});

/** Of writings that come to the same for these texts the first; those that change none are left out. */
export function* distinctWritings(
  list: Iterable<Writing>,
  texts: readonly string[],
): Generator<Writing & { readonly written: readonly string[] }> {
  const seen = new Set([texts.join('\0')]);
  for (const each of list) {
    const written = texts.map(each.write);
    const key = written.join('\0');
    if (seen.has(key)) continue;
    seen.add(key);
    yield { ...each, written };
  }
}
