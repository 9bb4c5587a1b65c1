import { describe, expect, test } from 'vitest';
import { reproductionOf, signedEntry } from '../../src/cli/commands/support/signing.js';
import type { Request } from '../../src/journal/port.js';
import { allOperations, assumeDefaults, type Operation } from '../../src/spec/index.js';
import { checkRequest, fieldsInForce } from '../../src/wire/check.js';
import { samples } from '../support/samples.js';

function requestOf(row: Operation, had: { readonly isCard: boolean; readonly isSum: boolean }): Request {
  return {
    id: 7,
    kind: row.opens ? 'payment' : 'follow-up',
    operation: row.id,
    effect: row.effect === 'money' ? 'money' : 'write',
    base: 'https://gate.example',
    endpoint: '4001',
    login: 'shop',
    profile: 'shop',
    class: 'test',
    clientOrderId: 'order-1',
    orderId: row.opens ? undefined : '900',
    sum: had.isSum ? { minor: '5000', currency: 'EUR', digits: 2 } : undefined,
    card4: had.isCard ? '1111' : undefined,
    content: 'c',
    state: 'accepted',
    attempt: 1,
    mayHaveArrived: true,
    createdAt: 0,
    changedAt: 0,
    reason: '',
    outcome: {},
    isElsewhere: false,
  };
}

const operation = (id: string): Operation => {
  const row = allOperations.find((each) => each.id === id);
  if (row === undefined) throw new Error(`no operation ${id}`);
  return row;
};
const reproduced = (id: string, had: { isCard: boolean; isSum: boolean }) =>
  reproductionOf(requestOf(operation(id), had), assumeDefaults, ' --profile shop');

describe('what is not stored of a request', () => {
  test('of a payout that was not to a card is where it went: one command for each way', () => {
    const { missing, commands } = reproduced('PAYOUT', { isCard: false, isSum: true }) ?? {};
    expect(missing).toBe(
      'entry 7 payout send: not stored: destination-card-ref-id; or account_number, bank_name, bank_branch; or receiver_phone, bank_id; or wallet_type, wallet_id',
    );
    const start = 'paycli sign payout send --amount 50.00 --currency EUR';
    expect(commands).toEqual([
      `${start} --destination-card-ref-id DESTINATION-CARD-REF-ID --profile shop --code curl`,
      `${start} --account-number ACCOUNT-NUMBER --bank-name BANK-NAME --bank-branch BANK-BRANCH --profile shop --code curl`,
      `${start} --receiver-phone RECEIVER-PHONE --bank-id BANK-ID --profile shop --code curl`,
      `${start} --wallet-type WALLET-TYPE --wallet-id WALLET-ID --profile shop --code curl`,
    ]);
  });
});

const recorded = allOperations.filter(({ effect }) => effect !== 'read');
const all = recorded.flatMap((row) =>
  [true, false].flatMap((isCard) => [true, false].map((isSum) => ({ id: row.id, row, isCard, isSum }))),
);
// Not every request may have a card or an amount, or be without.
const cases = all.filter(({ row, isCard, isSum }) => mayBe(row, 'cardNumber', isCard) && mayBe(row, 'amount', isSum));

function mayBe({ fields, rules }: Operation, key: string, isThere: boolean): boolean {
  const isForbidden = rules.some((rule) => rule.rule === 'forbidden' && rule.fields.includes(key));
  return isThere ? fields[key] !== undefined && !isForbidden : fields[key]?.need !== 'required';
}

describe.each(cases)('$id, with a card: $isCard, with an amount: $isSum', ({ row, isCard, isSum }) => {
  const request = requestOf(row, { isCard, isSum });
  const { missing } = signedEntry(request, assumeDefaults);
  const commands = reproductionOf(request, assumeDefaults, '')?.commands ?? [];
  const fields = fieldsInForce(row, assumeDefaults);

  test('every command has all that its request needs, with a placeholder for what is not stored', () => {
    for (const command of commands) {
      const given = valuesIn(command, row);
      expect(problems(row, given), command).toEqual([]);
      const flags = Object.keys(given).filter((key) => !(key in ids));
      // Nothing that could be left out, but the amount the request had.
      for (const key of flags.filter((each) => each !== 'amount' && each !== 'currency'))
        expect(problems(row, without(given, key)), `${command} without ${key}`).not.toEqual([]);
      expect(flags.includes('cardNumber'), command).toBe(isCard);
    }
  });

  test('the fields that are named are those of the commands that are not stored', () => {
    const keys = new Set(commands.flatMap((command) => Object.keys(valuesIn(command, row))));
    const stored = [...Object.keys(ids), 'login', ...(isSum ? ['amount', 'currency'] : [])];
    const expected = fields.filter(([key]) => keys.has(key) && !stored.includes(key)).map(([, { wire }]) => wire);
    expect(missing).toEqual(expected);
    for (const [key, { need }] of fields) if (need === 'required' && !stored.includes(key)) expect(keys).toContain(key);
  });
});

const ids: Readonly<Record<string, string>> = { clientOrderId: 'order-1', orderId: '900' };

/** The fields a command names, by key, with a good value for each word in capitals. */
function valuesIn(command: string, row: Operation): Readonly<Record<string, string>> {
  const words = command.split(' ');
  const fields = Object.entries(row.fields);
  const given = fields.flatMap(([key, field]) => {
    const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const word = words[words.indexOf(flag) + 1];
    if (!words.includes(flag) || word === undefined) return [];
    const isPlaceholder = word === flag.slice(2).toUpperCase();
    return [[key, isPlaceholder ? goodValue(field) : word] as const];
  });
  return { ...Object.fromEntries(given), ...ids };
}

function goodValue({ values, kind }: Operation['fields'][string]): string {
  return values?.[0] ?? samples[kind].good[0] ?? '';
}

function without(given: Readonly<Record<string, string>>, key: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(given).filter(([each]) => each !== key));
}

function problems(row: Operation, given: Readonly<Record<string, string>>): readonly string[] {
  const name = (key: string) => key;
  const found = checkRequest(row, { login: 'shop', ...given }, { assume: assumeDefaults, endpointId: '4001', name });
  return found.filter(({ kind }) => kind !== 'invalid').map(({ why }) => why);
}
