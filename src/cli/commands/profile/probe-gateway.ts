import { readCaFile } from '../../../config/index.js';
import type { ExchangeOptions, ExchangePorts } from '../../../payments/exchange.js';
import type { Limits, Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';

const limits: Limits = {
  connectMs: 10_000,
  firstByteMs: 20_000,
  gapMs: 5000,
  totalMs: 30_000,
  maxBodyBytes: 1_048_576,
  maxHeaderBytes: 16_384,
};

/**
 * Runs a check that sends requests to the gateway, with limits and a progress line. A signal ends the request, not the
 * command.
 */
export async function probeGateway<T>(
  caFile: string | undefined,
  report: Reporter,
  runtime: Runtime,
  ask: (ports: ExchangePorts, options: Pick<ExchangeOptions, 'limits' | 'signal'>) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const unlisten = runtime.processes.onStop(() => stop.abort());
  const transport = await runtime.transport(caFile === undefined ? {} : { ca: readCaFile(caFile, runtime.files) });
  report.progress('checking with the gateway …');
  try {
    const ports = { transport, clock: runtime.clock, random: runtime.random };
    return await ask(ports, { limits, signal: stop.signal });
  } finally {
    report.progress(undefined);
    unlisten();
    await transport.close();
  }
}
