/** Work of one key goes one after the other, that of different keys side by side, at most `most` at once. */
interface KeyedQueue {
  add<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function openKeyedQueue(most: number): KeyedQueue {
  const chains = new Map<string, Promise<unknown>>();
  const runWhenFree = limitConcurrency(most);
  return {
    add(key, work) {
      const next = (chains.get(key) ?? Promise.resolve()).then(() => runWhenFree(work));
      const settled = next
        .catch(() => undefined)
        .finally(() => {
          if (chains.get(key) === settled) chains.delete(key);
        });
      chains.set(key, settled);
      return next;
    },
  };
}

/** Runs at most `most` at once; the others wait for their turn. */
export function limitConcurrency(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
