import type { KeyStore, StoreName } from '../../../config/key-store.js';
import { endpointFrom } from '../../../config/profile-entries.js';
import type { SchemeCheck } from '../../../payments/credential-check.js';
import type { Runtime } from '../../../runtime/ports.js';
import { assumeDefaults, statusQuery } from '../../../spec/index.js';
import { parseBaseUrl } from '../../../wire/address.js';
import type { Reporter } from '../../core/reporter.js';
import { checkKey } from '../profile/check-key.js';
import type { RsaKey } from '../profile/rsa-key.js';
import type { PlannedProfile, ProfileSlot } from '../profile/save.js';
import type { ProfileValues, ValueOptions } from '../profile/values.js';

export interface InitOptions extends ValueOptions {
  readonly store?: StoreName;
  readonly generateKey?: boolean;
  readonly supportText?: string;
  readonly replace?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
}

export const command = 'init';

/** One run of the guided setup. */
export interface InitContext {
  readonly options: InitOptions;
  readonly slot: ProfileSlot;
  readonly report: Reporter;
  readonly runtime: Runtime;
  /** True when optional values and a final confirmation are prompted for as well. */
  readonly asksAll: boolean;
}

/** Everything to be written. */
export interface NewSetup {
  readonly values: ProfileValues;
  /** Undefined where the control key of the replaced profile stays where it is. */
  readonly store: KeyStore | undefined;
  readonly rsa: RsaKey | undefined;
  readonly planned: PlannedProfile;
}

/** The result of checking the new credentials, or why they were not checked. */
export type CheckResult = SchemeCheck | { readonly verdict: null; readonly reason: string };

/** Checks the newly written profile with its gateway. Environment variables are ignored here. */
export async function checkProfile(setup: NewSetup, { options, report, runtime }: InitContext): Promise<CheckResult> {
  const { values, planned } = setup;
  if (options.check === false) return { verdict: null, reason: '--no-check was given' };
  if (values.class === 'live' && options.live !== true)
    return { verdict: null, reason: 'a live gateway is checked only with --live on the command line' };
  const { login, controlKey } = values;
  const rules = planned.after.content.profiles.get(planned.name)?.endpoints ?? [];
  const endpointId = endpointFrom(rules, statusQuery.id, undefined) ?? values.endpointId;
  const target = { baseUrl: parseBaseUrl(values.baseUrl), endpointId, login, assume: assumeDefaults };
  return checkKey('control', target, { login, controlKey }, report, runtime);
}
