import type { StageName } from '../../signing/stages.js';

/** Flags that are not fields. All optional: `undefined` means the user did not say. */
export interface CommonOptions {
  readonly profile?: string;
  readonly output?: string;
  readonly select?: string;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: number;
  /** --no-input */
  readonly input?: boolean;
  /** --input */
  readonly inputFile?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly live?: boolean;
  readonly confirmLogin?: string;
  readonly wait?: boolean;
  /** Milliseconds. */
  readonly waitTimeout?: number;
  readonly expect?: string;
  readonly dryRun?: boolean;
  readonly explain?: boolean;
  /** Of `sign`. */
  readonly stage?: StageName;
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly again?: boolean;
  readonly all?: boolean;
  readonly field?: readonly string[];
  readonly allowUnknownField?: boolean;
  readonly testCard?: string;
  readonly endpointId?: string;
  readonly baseUrl?: string;
  readonly login?: string;
  readonly controlKeyFile?: string;
  readonly controlKeyFd?: string;
  readonly privateKeyFile?: string;
  readonly privateKeyFd?: string;
  readonly passphraseFile?: string;
  readonly passphraseFd?: string;
  readonly caFile?: string;
}

/** One JSON object with the fields of a request. */
export interface Input {
  /** Names and values in their order. Numbers are the text they were written as. */
  readonly entries: readonly (readonly [name: string, value: unknown])[];
  /** Why card data may not come from there; undefined where it may. */
  readonly unfitForCards: string | undefined;
}

/** What the user typed, before anything is checked. Field values are by field key. */
export interface Typed {
  readonly fields: Readonly<Record<string, string>>;
  readonly order: string | undefined;
  readonly options: CommonOptions;
  /** The content of --input, if it was read already. */
  readonly input?: Input | undefined;
}
