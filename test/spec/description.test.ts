import { describe, expect, test } from 'vitest';
import {
  allOperations,
  type Field,
  interfaceLabel,
  type Operation,
  type Protection,
  replies,
} from '../../src/spec/index.js';
import { eligibilityNames, facts, shownNames, transferNames } from './facts.js';

const schemeWords: Readonly<Record<Protection['scheme'], string>> = {
  control: 'control',
  'hmac-sha1': 'HMAC-SHA1',
  'rsa-sha256': 'RSA-SHA256',
  none: 'none',
  // Switched rows are unsigned unless somebody sets the switch; see the test of their defaults.
  switched: 'none',
};

function rowOf({ id }: { readonly id: string }): Operation {
  const row = allOperations.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`the table lacks ${id}`);
  return row;
}

const wiresOf = (row: Operation): string[] => Object.values(row.fields).map(({ wire }) => wire);

function fieldOf(id: string, wire: string): Field {
  const field = Object.values(allOperations.find((row) => row.id === id)?.fields ?? {}).find(
    (candidate) => candidate.wire === wire,
  );
  if (field === undefined) throw new Error(`${id} lacks ${wire}`);
  return field;
}

test('the table has the operations of the description, no more and no less', () => {
  expect(allOperations.map(({ id }) => id).sort()).toEqual(facts.map(({ id }) => id).sort());
  expect(interfaceLabel).toBe('dev');
});

describe.each(facts)('$id', (fact) => {
  test('stands at its path', () => {
    expect(rowOf(fact).path).toBe(fact.path);
  });

  test('names its records', () => {
    const { records } = rowOf(fact);
    expect(records.request).toBe(fact.request);
    if (fact.reply !== null) expect(records.reply).toBe(fact.reply);
    expect(replies).toHaveProperty(records.reply);
  });

  test('is protected as described', () => {
    const { protection } = rowOf(fact);
    // A08: nothing is shown for payout-pay; the other v4 operations are signed with RSA-SHA256.
    expect(schemeWords[protection.scheme]).toBe(fact.protection === 'not shown' ? 'RSA-SHA256' : fact.protection);
  });

  test('signs the described values in their order', () => {
    const row = rowOf(fact);
    const signed = row.protection.scheme === 'control' ? row.protection.values : undefined;
    expect(signed?.map((name) => row.fields[name]?.wire ?? name)).toEqual(fact.signed);
  });

  test('has the fields the description names', () => {
    expect(wiresOf(rowOf(fact))).toEqual(expect.arrayContaining([...fact.names]));
  });

  test('calls nothing stated that the description does not show', () => {
    const overstated = Object.values(rowOf(fact).fields).filter(
      ({ wire, basis }) => basis === 'stated' && !shownNames.has(wire),
    );
    expect(overstated.map(({ wire }) => wire)).toEqual([]);
  });

  test('is stated itself only when the description has a record for it', () => {
    expect(rowOf(fact).basis === 'stated').toBe(fact.request !== null);
  });
});

test('transfer has its 15 fields and no other, all of them stated', () => {
  expect(transferNames).toHaveLength(15);
  expect(wiresOf(rowOf({ id: 'TRANSFER_V4' })).sort()).toEqual([...transferNames].sort());
  expect(transferNames.filter((wire) => fieldOf('TRANSFER_V4', wire).basis !== 'stated')).toEqual([]);
});

test('deposit2card is boolean text', () => {
  expect(fieldOf('TRANSFER_V4', 'deposit2card').kind).toBe('boolean');
});

test('pan-eligibility has its two fields as stated ones', () => {
  expect(eligibilityNames.map((wire) => fieldOf('PAN_ELIGIBILITY_SEND', wire).basis)).toEqual(['stated', 'stated']);
});

test('threeDSCompInd takes Y, N and U only', () => {
  const field = fieldOf('TDS_UPLOAD_METHOD_URL_RESULT', 'threeDSCompInd');
  expect([...(field.values ?? [])].sort()).toEqual(['N', 'U', 'Y']);
  expect(field.basis).toBe('stated');
});

test.each(['CAPTURE', 'RETURN'])('%s may leave out amount and currency', (id) => {
  expect([fieldOf(id, 'amount').need, fieldOf(id, 'currency').need]).toEqual(['optional', 'optional']);
});

test.each(['CAPTURE', 'RETURN', 'VOID'])('%s must name the original transaction by orderid', (id) => {
  expect(fieldOf(id, 'orderid').need).toBe('required');
});

test('void takes no partial amount', () => {
  const forbids = allOperations
    .find(({ id }) => id === 'VOID')
    ?.rules.flatMap((rule) => (rule.rule === 'forbidden' ? rule.fields : []));
  expect(forbids).toEqual(expect.arrayContaining(['amount', 'currency']));
});

test('status may be asked by client_orderid alone', () => {
  expect([fieldOf('STATUS', 'orderid').need, fieldOf('STATUS', 'client_orderid').need]).toEqual([
    'optional',
    'optional',
  ]);
});

test('hosted forms take no card data', () => {
  const forms = facts.filter(({ reply }) => reply === 'AsyncCheckoutFormRedirect').map(rowOf);
  expect(forms).toHaveLength(5);
  const cardKinds = forms.flatMap((row) =>
    Object.values(row.fields).filter(({ kind }) => kind === 'cardNumber' || kind === 'cvv'),
  );
  expect(cardKinds).toEqual([]);
});

test('account verification carries no amount, for it is a zero-amount authorization', () => {
  for (const id of ['ACCOUNT_VERIFICATION', 'ACCOUNT_VERIFICATION_FORM'])
    expect(wiresOf(rowOf({ id })).filter((wire) => wire === 'amount' || wire === 'currency')).toEqual([]);
});

test('a create of a recurring payment returns recurring-payment-id', () => {
  expect(replies.CreateRecurringPaymentResponse.requires).toContain('recurring');
});
