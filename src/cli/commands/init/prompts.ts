import { nameProblem } from '../../../config/content.js';
import { applyChanges } from '../../../config/edit.js';
import { readFlags } from '../../../config/flags.js';
import { readPemText } from '../../../config/index.js';
import { type KeyStore, keyStore } from '../../../config/key-store.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import { tryPrivateKey } from '../../../signing/keys/rsa-keys.js';
import { mayPrompt } from '../../command.js';
import { pathOf } from '../keys/key-files.js';
import { existingKey, newKey, type RsaKey } from '../profile/rsa-key.js';
import { nameProblemIn, storedKey } from '../profile/save.js';
import { type Check, prompt } from '../profile/values.js';
import { command, type InitContext } from './setup.js';

/** Undefined where nobody can be asked. */
export async function chooseClass(guide: InitContext): Promise<string | undefined> {
  if (guide.options.class !== undefined || !mayPrompt(guide.options, guide.runtime)) return guide.options.class;
  const { profiles, defaultProfile } = guide.slot.current;
  const replaced = guide.options.name ?? (guide.slot.mayReplace ? defaultProfile?.value : undefined) ?? '';
  const choices = [
    ['sandbox', 'the built-in sandbox: nothing to set up'],
    ['test', 'a test gateway'],
    ['live', 'a live gateway: real money'],
  ] as const;
  return choose(guide, 'class', 'which gateway', choices, profiles.get(replaced)?.class);
}

/** Undefined where nobody can be asked. */
export async function chooseName(kind: string, { options, slot, runtime }: InitContext): Promise<string | undefined> {
  if (options.name !== undefined || !mayPrompt(options, runtime)) return options.name;
  const { profiles, defaultProfile } = slot.current;
  const ofClass = [...profiles.values()].filter((profile) => profile.class === kind).map(({ name }) => name);
  const replaced = slot.mayReplace ? (ofClass.find((name) => name === defaultProfile?.value) ?? ofClass[0]) : undefined;
  const byLogin = `${options.login ?? ''}-${kind}`;
  const stem = nameProblem(byLogin) === undefined ? byLogin : kind;
  let initial = replaced ?? stem;
  for (let count = 2; replaced === undefined && profiles.has(initial); count += 1) initial = `${stem}-${count}`;
  const check: Check = (text) => nameProblemIn(text, slot);
  return prompt({ name: 'name', message: 'name of the profile', initial, check }, options, runtime);
}

/** Checks that an address fits the class, at its own prompt and not after all of them. */
export function addressCheck(name: string, kind: string, { slot, runtime }: InitContext): Check {
  return (text) => {
    try {
      applyChanges(
        slot.before,
        [{ path: ['profiles', name], value: { class: kind, 'base-url': text } }],
        runtime.files,
      );
      return undefined;
    } catch (error) {
      if (!isPaycliError(error) || error.code !== 'PROFILE_CLASS_MISMATCH') return undefined;
      return error.message;
    }
  };
}

/** Chooses a usable key store. Throws SECRET_UNREADABLE or USAGE. */
export async function chooseStore(name: string, guide: InitContext): Promise<KeyStore> {
  const { options, slot, report, runtime, asksAll } = guide;
  const usable = async (store: KeyStore) => {
    await storedKey(store, slot, runtime);
    return store;
  };
  const file = keyStore('file', name, runtime.files);
  const wanted = options.store ?? (asksAll ? await askStore(guide) : 'file');
  if (wanted === 'file') return usable(file);
  try {
    return await usable(keyStore('keyring', name, runtime.files));
  } catch (error) {
    if (!asksAll || !isPaycliError(error) || error.code !== 'SECRET_UNREADABLE') throw error;
    report.warn([error.message]);
  }
  const answer = await choose(guide, 'use-file', 'keep the control key in a file instead', yesOrNo);
  if (answer === 'no') throw nothingWritten();
  return usable(file);
}

function askStore(guide: InitContext) {
  return choose(guide, 'store', 'where to keep the control key', [
    ['file', 'in a separate file that only you can read'],
    ['keyring', 'in the keyring of this system'],
  ]);
}

/** Throws USAGE, SECRET_UNREADABLE or KEY_UNUSABLE for a key that flags name. */
export async function chooseRsaKey(name: string, guide: InitContext): Promise<RsaKey | undefined> {
  const { options, slot, report, runtime, asksAll } = guide;
  if (options.generateKey === true) return newKey(name, report, runtime);
  if (options.privateKeyFile !== undefined || options.passphraseFile !== undefined || !asksAll)
    return existingKey(options, command, runtime);
  const hasOne = slot.mayReplace && slot.current.profiles.get(name)?.draft.secrets['private-key'] !== undefined;
  for (;;) {
    const how = await choose(guide, 'rsa-key', 'RSA key (only some operations need one)', [
      ['none', hasOne ? 'keep the current one' : 'none for now'],
      ['new', 'generate a new one (4096 bits)'],
      ['mine', 'use my own key file'],
    ]);
    if (how === 'none') return undefined;
    const key = how === 'new' ? await newKey(name, report, runtime) : await askForKey(guide);
    if (key !== undefined) return key;
  }
}

/** Undefined when the file is unusable, after a warning. */
async function askForKey({ options, report, runtime }: InitContext): Promise<RsaKey | undefined> {
  const isThere: Check = (text) => (runtime.files.exists(pathOf(text, runtime)) ? undefined : 'there is no such file');
  const question = {
    name: 'private-key-file',
    message: 'file of the private key (PEM)',
    hint: '~/keys/rsa.pem',
    check: isThere,
  };
  const privateKeyFile = await prompt(question, options, runtime);
  try {
    const key = readFlags({ privateKeyFile }, runtime.files).secrets['private-key'];
    const isLocked = key?.kind === 'file' && 'locked' in tryPrivateKey((await readPemText(key, runtime)).secret.open());
    const passphraseFile = isLocked
      ? await prompt(
          { name: 'passphrase-file', message: 'the key is encrypted; file with its passphrase', check: isThere },
          options,
          runtime,
        )
      : undefined;
    return await existingKey({ privateKeyFile, passphraseFile }, command, runtime);
  } catch (error) {
    if (!isPaycliError(error) || error.code === 'INTERRUPTED') throw error;
    report.warn([`${error.message}; ${error.next}`]);
    return undefined;
  }
}

const yesOrNo = [
  ['yes', 'yes'],
  ['no', 'no'],
] as const;

/** Throws CANCELLED when the user answers no. */
export async function confirm(guide: InitContext): Promise<void> {
  if ((await choose(guide, 'write', 'save this', yesOrNo)) === 'no') throw nothingWritten();
}

function nothingWritten(): Error {
  return fail('CANCELLED', { why: 'nothing was written', how: '`paycli init` asks again from the start' });
}

type Choice<Word> = readonly [word: Word, text: string];

async function choose<const Word extends string>(
  { options, runtime }: InitContext,
  name: string,
  message: string,
  choices: readonly [Choice<Word>, ...Choice<Word>[]],
  present?: Word,
): Promise<Word> {
  const [first] = choices;
  const initial = (choices.find(([word]) => word === present) ?? first)[1];
  const texts = choices.map(([, text]) => text);
  const answer = await prompt({ name, message, choices: texts, initial }, options, runtime);
  return (choices.find(([, text]) => text === answer) ?? first)[0];
}
