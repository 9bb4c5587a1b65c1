import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from './ports.js';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => pause(ms),
};
