/**
 * Aborts after so many milliseconds, or with `signal`. `AbortSignal.any` alone holds what it is made of weakly: on Node
 * 20 a timeout that nothing else holds is collected as garbage, and never comes.
 */
export function deadline(ms: number, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  // A signal with a listener is not collected.
  timeout.addEventListener('abort', () => undefined);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}
