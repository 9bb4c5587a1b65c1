import type { Setting } from '../../../config/edit.js';
import { entryReaders } from '../../../config/entries.js';
import { isMapping, type Mapping, type Place, profileSettings } from '../../../config/settings.js';
import { fail, isPaycliError, problemsText } from '../../../errors/index.js';
import { list, type Values, word } from '../../command.js';

/** The flags of `init` and `profile set` that are settings of a profile. */
export const settingFlags = {
  baseUrl: word('<url>', 'base address of the gateway, including any path prefix'),
  login: word('<login>', 'merchant login'),
  endpointId: word('<id>', 'endpoint, or endpoint group'),
  endpoint: list('<key=id>', 'another endpoint for a currency or an operation, such as EUR=4002; repeatable'),
  maxAmount: list('<amount>', 'largest single payment or return, such as "500.00 EUR"; once per currency'),
  caFile: word('<file>', 'custom CA certificate (PEM)'),
};

export type SettingFlags = Values<typeof settingFlags>;

/** How a setting is written in the file, from the text of a flag or an answer. Each throws FIELD_INVALID. */
const readers = {
  'base-url': (text, place) => profileSettings['base-url'].read(text, place),
  login: (text, place) => profileSettings.login.read(text, place),
  'endpoint-id': (text, place) => idFrom(profileSettings['endpoint-id'].read(text, place)),
  'max-amount': (text, place) => amountsFrom(profileSettings['max-amount'].read(text.split(/ *, */), place)),
  'ca-file': (text, place) => profileSettings['ca-file'].read(text, place),
} as const satisfies Readonly<Record<string, (text: string, place: Place) => Setting>>;

export type SettingKey = keyof typeof readers;
export type SettingTexts = Readonly<Partial<Record<SettingKey, string>>>;

// Beyond 2^53 a YAML number would lose digits.
function idFrom(id: string): string | number {
  return Number.isSafeInteger(Number(id)) ? Number(id) : id;
}

function amountsFrom(amounts: readonly string[]): Setting {
  return amounts.length === 1 ? (amounts[0] ?? '') : amounts;
}

/** Why a text cannot be this setting; undefined where it can. */
export function problemOf(key: SettingKey, text: string, place: Place): string | undefined {
  try {
    readers[key](text, place);
    return undefined;
  } catch (error) {
    if (isPaycliError(error)) return error.message;
    throw error;
  }
}

/** The settings that flags give as single texts. */
export function textsIn({ baseUrl, login, endpointId, maxAmount, caFile }: SettingFlags): SettingTexts {
  const texts = {
    ...{ 'base-url': baseUrl, login, 'endpoint-id': endpointId },
    ...{ 'max-amount': maxAmount?.join(','), 'ca-file': caFile },
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
}

/** One setting of a profile to be changed, such as `endpoints`, `EUR`; without a value it is removed. */
export interface SettingChange {
  readonly path: readonly string[];
  readonly value: Setting | undefined;
}

interface Given {
  readonly texts: SettingTexts;
  /** `EUR=4002`; `EUR=` removes it. */
  readonly endpoints?: readonly string[] | undefined;
  /** `A03=minor`; `A03=` resets it. */
  readonly assume?: readonly string[] | undefined;
}

/** `written` is the profile as it stands in the file. Throws FIELD_INVALID with all mistakes. */
export function readSettings(given: Given, written: Mapping, place: Place): readonly SettingChange[] {
  const problems: string[] = [];
  const attempt = (flag: string, read: () => SettingChange) => {
    try {
      return [read()];
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      problems.push(`${flag}: ${error.message}`);
      return [];
    }
  };
  const { texts, endpoints = [], assume = [] } = given;
  const changes = [
    ...Object.entries(texts).flatMap(([key, text]) =>
      attempt(`--${key}`, () => ({ path: [key], value: readers[key as SettingKey](text, place) })),
    ),
    ...endpoints.flatMap((text) => attempt('--endpoint', () => readEntry('endpoints', text, written, place))),
    ...assume.flatMap((text) => attempt('--assume', () => readEntry('assume', text, written, place))),
  ];
  const names = changes.map(({ path }) => path.join('.'));
  problems.push(...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is given twice`));
  if (problems.length > 0) throw fail('FIELD_INVALID', { problems: problemsText(problems) });
  return changes;
}

function readEntry(mapping: 'endpoints' | 'assume', text: string, profile: Mapping, place: Place): SettingChange {
  const [, given, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (given === undefined) throw fail('FIELD_INVALID', { problems: `use KEY=VALUE` });
  const { name, read } = readNamed(mapping, given);
  const entries = profile[mapping];
  // The file may call it by another of its names.
  const written = Object.keys(isMapping(entries) ? entries : {});
  const key = written.find((each) => entryReaders[mapping](each).name === name) ?? name;
  if (value === '') return { path: [mapping, key], value: undefined };
  const valid = read(value, place);
  return { path: [mapping, key], value: mapping === 'endpoints' ? idFrom(valid) : valid };
}

function readNamed(mapping: 'endpoints' | 'assume', given: string) {
  try {
    return entryReaders[mapping](given);
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    throw fail('FIELD_INVALID', { problems: `${given.slice(0, 40)} ${error.message}` });
  }
}
