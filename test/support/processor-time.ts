/**
 * Starts counting; gives the milliseconds of processor time used since then. What else the machine does is no matter.
 */
export function processorTime(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
