/** Work of one key goes one after the other, that of different keys side by side, so many at once. */
interface KeyedQueue {
  add<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function openKeyedQueue(most: number): KeyedQueue {
  const chains = new Map<string, Promise<unknown>>();
  const slot = limitConcurrency(most);
  return {
    add(key, work) {
      const next = (chains.get(key) ?? Promise.resolve()).then(() => slot(work));
      const over = next
        .catch(() => undefined)
        .finally(() => {
          if (chains.get(key) === over) chains.delete(key);
        });
      chains.set(key, over);
      return next;
    },
  };
}

/** Runs at most so many at once; the others wait for their turn. */
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
