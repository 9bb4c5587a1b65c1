import { endpointFrom } from '../../config/endpoints.js';
import { type CheckVerdict, type CredentialCheck, checkCredentials } from '../../payments/credential-check.js';
import type { Limits } from '../../runtime/ports.js';
import { assumeDefaults } from '../../spec/index.js';
import { parseBaseUrl } from '../../wire/address.js';
import type { Guide, Setup } from './setup.js';

/** What the gateway made of the new credentials, or why it was not asked. */
export type Checked = CredentialCheck | { readonly verdict: null; readonly reason: string };

export const exitOf: Readonly<Record<CheckVerdict, number>> = { good: 0, refused: 4, 'not-sent': 6, 'no-answer': 9 };

const limits: Limits = {
  connectMs: 10_000,
  firstByteMs: 20_000,
  gapMs: 5000,
  totalMs: 30_000,
  maxBodyBytes: 1_048_576,
  maxHeaderBytes: 16_384,
};

/** Asks the gateway of a profile that was written just now, and nobody else: variables of the environment do not count here. */
export async function checkProfile(setup: Setup, { options, report, runtime }: Guide): Promise<Checked> {
  const { values, planned } = setup;
  if (options.check === false) return { verdict: null, reason: '--no-check was given' };
  if (values.class === 'live' && options.live !== true)
    return { verdict: null, reason: 'a live gateway is asked only with --live on the command line' };
  const { login, controlKey } = values;
  const rules = planned.after.content.profiles.get(planned.name)?.endpoints ?? [];
  const endpointId = endpointFrom(rules, 'STATUS', undefined) ?? values.endpointId;
  const stop = new AbortController();
  const unlisten = runtime.processes.onStop(() => stop.abort());
  const transport = await runtime.transport({});
  report.progress('asking the gateway …');
  try {
    const target = { baseUrl: parseBaseUrl(values.baseUrl), endpointId, login, assume: assumeDefaults };
    const ports = { transport, clock: runtime.clock, random: runtime.random };
    return await checkCredentials(target, { login, controlKey }, ports, { assume: assumeDefaults, limits, signal: stop.signal });
  } finally {
    report.progress(undefined);
    unlisten();
    await transport.close();
  }
}
