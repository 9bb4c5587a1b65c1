/** As a HashMap of Java goes through its keys: by the hash of a name in a table of at least 4/3 of their number. */
export function inHashMapOrder<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  let size = 16;
  while (items.length > size * 0.75) size *= 2;
  const place = (item: Item) => {
    const name = nameOf(item);
    let hash = 0;
    for (let at = 0; at < name.length; at += 1) hash = (Math.imul(31, hash) + name.charCodeAt(at)) | 0;
    return (hash ^ (hash >>> 16)) & (size - 1);
  };
  return [...items].sort((one, other) => place(one) - place(other));
}
