/** Runs work of one key in sequence, that of different keys in parallel, at most `maxRunning` at once. */
interface KeyedQueue {
  add<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function openKeyedQueue(maxRunning: number): KeyedQueue {
  const chains = new Map<string, Promise<unknown>>();
  const runWhenFree = limitConcurrency(maxRunning);
  return {
    add(key, work) {
      const next = (chains.get(key) ?? Promise.resolve()).then(() => runWhenFree(work));
      const ended = next
        .catch(() => undefined)
        .finally(() => {
          if (chains.get(key) === ended) chains.delete(key);
        });
      chains.set(key, ended);
      return next;
    },
  };
}

/** Runs at most `maxRunning` at once; the others wait for their turn. */
export function limitConcurrency(maxRunning: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = maxRunning;
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
