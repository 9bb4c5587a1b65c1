import type { Processes } from './ports.js';

export const systemProcesses: Processes = {
  pid: process.pid,
  nodeVersion: process.versions.node,
  isAlive(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      // It is there, and somebody else's.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  },
  onStop(callback) {
    const stop = (signal: NodeJS.Signals) => {
      if (signal === 'SIGINT' || signal === 'SIGTERM') callback(signal);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    return () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    };
  },
};
