import { expect, test } from 'vitest';
import { allOperations, type Field, type Operation, type Protection } from '../../src/spec/index.js';
import { eligibilityNames, facts, shownNames, transferNames } from './facts.js';

const schemeWords: Readonly<Record<Protection['scheme'], string>> = {
  control: 'control',
  'hmac-sha1': 'HMAC-SHA1',
  'rsa-sha256': 'RSA-SHA256',
  none: 'none',
  // Switched rows are unsigned unless somebody sets the switch; see the test of their defaults.
  switched: 'none',
};

function rowOf(id: string): Operation {
  return allOperations.find((candidate) => candidate.id === id) ?? expect.unreachable(`the table lacks ${id}`);
}

const wiresOf = (row: Operation): string[] => Object.values(row.fields).map(({ wire }) => wire);

function fieldOf(id: string, wire: string): Field {
  const found = Object.values(rowOf(id).fields).find((candidate) => candidate.wire === wire);
  return found ?? expect.unreachable(`${id} lacks ${wire}`);
}

test('the table has the operations of the description, no more and no less', () => {
  expect(allOperations.map(({ id }) => id).sort()).toEqual(facts.map(({ id }) => id).sort());
});

test.each(facts)('$id has its path, records, protection and fields', (fact) => {
  const row = rowOf(fact.id);
  const { path, records, protection, fields, basis } = row;
  expect([path, records.request]).toEqual([fact.path, fact.request]);
  if (fact.reply !== null) expect(records.reply).toBe(fact.reply);
  expect(schemeWords[protection.scheme]).toBe(fact.protection);
  const signed: readonly string[] = protection.scheme === 'control' ? protection.values : [];
  expect(signed.map((name) => fields[name]?.wire ?? name)).toEqual(fact.signed);
  expect(wiresOf(row)).toEqual(expect.arrayContaining([...fact.names]));
  const overstated = Object.values(fields).filter(({ wire, basis: of }) => of === 'stated' && !shownNames.has(wire));
  expect(overstated.map(({ wire }) => wire)).toEqual([]);
  expect(basis === 'stated').toBe(fact.request !== null);
});

test('transfer has its 15 fields and no other, and what is stated elsewhere is stated', () => {
  expect(transferNames).toHaveLength(15);
  expect(wiresOf(rowOf('TRANSFER_V4')).sort()).toEqual([...transferNames].sort());
  expect(transferNames.filter((wire) => fieldOf('TRANSFER_V4', wire).basis !== 'stated')).toEqual([]);
  expect(eligibilityNames.map((wire) => fieldOf('PAN_ELIGIBILITY_SEND', wire).basis)).toEqual(['stated', 'stated']);
});

test('a follow-up names its order, and may leave out amount and currency', () => {
  for (const id of ['CAPTURE', 'RETURN', 'VOID'])
    expect([id, ...['orderid', 'amount', 'currency'].map((wire) => fieldOf(id, wire).need)]).toEqual([
      ...[id, 'required', 'optional', 'optional'],
    ]);
  const forbidden = rowOf('VOID').rules.flatMap((rule) => (rule.rule === 'forbidden' ? rule.fields : []));
  expect(forbidden).toEqual(['amount', 'currency']);
  expect(fieldOf('STATUS', 'orderid').need).toBe('optional');
});

test('hosted forms take no card data, and a verification no amount', () => {
  const forms = facts.filter(({ reply }) => reply === 'AsyncCheckoutFormRedirect').map(({ id }) => rowOf(id));
  expect(forms).toHaveLength(5);
  const kinds = forms.flatMap((row) => Object.values(row.fields).map(({ kind }) => kind));
  expect(kinds.filter((kind) => kind === 'cardNumber' || kind === 'cvv')).toEqual([]);
  for (const id of ['ACCOUNT_VERIFICATION', 'ACCOUNT_VERIFICATION_FORM'])
    expect(wiresOf(rowOf(id)).filter((wire) => wire === 'amount' || wire === 'currency')).toEqual([]);
});
