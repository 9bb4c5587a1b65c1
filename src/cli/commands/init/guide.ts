import type { EditedConfig } from '../../../config/edit.js';
import type { KeyStore, StoreName } from '../../../config/key-store.js';
import type { SecretSource } from '../../../config/settings.js';
import { fail } from '../../../errors/index.js';
import type { Question, Runtime } from '../../../runtime/ports.js';
import type { Secret } from '../../../wire/mask.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import type { RsaFile } from '../profile/keys.js';
import type { UserFile } from '../profile/user-file.js';

export interface InitFlags extends CommonOptions {
  readonly name?: string;
  readonly class?: string;
  readonly endpoint?: readonly string[];
  readonly maxAmount?: readonly string[];
  readonly store?: StoreName;
  readonly replace?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
}

export const command = 'init';

/** One run of the guided setup. */
export interface Guide {
  readonly options: InitFlags;
  readonly file: UserFile;
  readonly report: Reporter;
  readonly runtime: Runtime;
  readonly canAsk: boolean;
  /** True when optional values and a final confirmation are prompted for as well. */
  readonly asksAll: boolean;
}

/** The settings of a profile, and its keys. */
export interface Answers {
  readonly name: string;
  readonly class: string;
  readonly baseUrl: string;
  readonly login: string;
  readonly endpointId: string;
  /** `EUR=4002, payout=5001` */
  readonly endpoints: string;
  readonly maxAmount: readonly string[];
  /** Settings that are those of the replaced profile. */
  readonly fromPresent: readonly string[];
  readonly controlKey: Secret;
  /** Undefined where the control key stays in its place, which is `keptKey`. */
  readonly store: StoreName | undefined;
  readonly keptKey: SecretSource | undefined;
  readonly rsa: RsaFile | undefined;
}

/** Everything to be written. */
export interface Setup {
  readonly answers: Answers;
  /** Undefined where the control key of the replaced profile stays where it is. */
  readonly store: KeyStore | undefined;
  readonly after: EditedConfig;
  readonly isDefault: boolean;
  /** Settings of the replaced profile that stay as they were. */
  readonly kept: readonly string[];
  /** Where the control key will be, fit for a message. */
  readonly keyPlace: string;
  readonly fingerprint: string;
}

/** Returns why a text is not acceptable. */
export type Check = (text: string) => string | undefined;

export const yesOrNo = [
  ['yes', 'yes'],
  ['no', 'no'],
] as const;

/** Throws CANCELLED when the user answers no. */
export async function confirm(guide: Guide): Promise<void> {
  if ((await choose(guide, 'write', 'save this', yesOrNo)) === 'no') throw nothingWritten();
}

export function nothingWritten(): Error {
  return fail('CANCELLED', { why: 'nothing was written', how: '`paycli init` asks again from the start' });
}

export async function choose<const Word extends string>(
  guide: Guide,
  name: string,
  message: string,
  choices: readonly (readonly [word: Word, text: string])[],
  present?: string,
): Promise<Word> {
  const [first] = choices;
  if (first === undefined) throw new Error('no choices');
  const initial = (choices.find(([word]) => word === present) ?? first)[1];
  const answer = await ask({ name, message, choices: choices.map(([, text]) => text), initial }, guide);
  return (choices.find(([, text]) => text === answer) ?? first)[0];
}

/** Asks one question. Throws INTERRUPTED. */
export async function ask(question: Question, { options, runtime }: Guide): Promise<string> {
  return (await runtime.prompter(options.color)).ask(question);
}
