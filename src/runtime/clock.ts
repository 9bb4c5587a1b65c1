import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { Clock } from './ports.js';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => (ms === 0 ? turn() : pause(ms)),
};
