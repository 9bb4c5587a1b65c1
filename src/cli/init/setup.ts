import type { KeyStore, StoreName } from '../../config/store.js';
import type { Runtime } from '../../runtime/ports.js';
import type { ProfileValues, ValueOptions } from '../profile-values.js';
import type { Reporter } from '../reporter.js';
import type { RsaKey } from './rsa-key.js';
import type { Planned, Slot } from './saving.js';

export interface InitOptions extends ValueOptions {
  readonly store?: StoreName;
  readonly generateKey?: boolean;
  readonly supportText?: string;
  readonly replace?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
}

export const command = 'init';

/** One run of the guided start. */
export interface Guide {
  readonly options: InitOptions;
  readonly slot: Slot;
  readonly report: Reporter;
  readonly runtime: Runtime;
  /** True when what may be left out is asked for as well, and for a last yes. */
  readonly asksAll: boolean;
}

/** Everything that is to be written. */
export interface Setup {
  readonly values: ProfileValues;
  readonly store: KeyStore;
  readonly rsa: RsaKey | undefined;
  readonly planned: Planned;
}
