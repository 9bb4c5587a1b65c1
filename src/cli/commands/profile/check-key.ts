import { readCaFile } from '../../../config/index.js';
import type { Target } from '../../../payments/compose.js';
import { checkScheme, probeLimits, type SchemeCheck, type SignedScheme } from '../../../payments/credential-check.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Credentials } from '../../../signing/index.js';
import type { Reporter } from '../../core/reporter.js';

/** Checks a key with the gateway, with a progress line. A signal ends the request, not the command. */
export async function checkKey(
  scheme: SignedScheme,
  target: Target & { readonly caFile?: string | undefined },
  credentials: Credentials,
  report: Reporter,
  runtime: Runtime,
): Promise<SchemeCheck> {
  const { caFile, assume } = target;
  const stop = new AbortController();
  const unlisten = runtime.processes.onStop(() => stop.abort());
  const transport = await runtime.transport(caFile === undefined ? {} : { ca: readCaFile(caFile, runtime.files) });
  report.progress('checking with the gateway …');
  try {
    const ports = { transport, clock: runtime.clock, random: runtime.random };
    const keys = { target: () => target, credentials: async () => credentials };
    return await checkScheme(scheme, { assume, limits: probeLimits, ports, ...keys }, target.endpointId, stop.signal);
  } finally {
    report.progress(undefined);
    unlisten();
    await transport.close();
  }
}
