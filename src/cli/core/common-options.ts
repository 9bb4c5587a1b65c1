import type { StageName } from '../../signing/stages.js';
import type { Values } from '../command.js';
import type { connectionFlags, fieldSourceFlags, outputFlags, SendingFlags } from '../flags.js';

type Shared = typeof outputFlags & typeof fieldSourceFlags & typeof connectionFlags & SendingFlags;

/** Flags that are not fields. All optional: `undefined` means the user did not say. */
export interface CommonOptions extends Omit<Values<Shared>, 'json' | 'noColor' | 'noInput'> {
  /** --no-input */
  readonly input?: boolean;
  readonly explain?: boolean;
  /** Of `sign`. */
  readonly stage?: StageName;
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly testCard?: string;
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
