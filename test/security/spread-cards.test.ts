import { describe, expect, test } from 'vitest';
import { homeWithProfile, saleFlags } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';

// The card of the sale is 4444333322221111.
const spread: readonly (readonly [string, string])[] = [
  ['dots', '4444.3333.2222.1111'],
  ['slashes', '4/4/4/4/3/3/3/3/2/2/2/2/1/1/1/1'],
  ['underscores', '44443333_22221111'],
  ['several characters', '4444 . 3333 . 2222 . 1111'],
  ['Arabic-Indic digits', '٤٤٤٤٣٣٣٣٢٢٢٢١١١١'],
  ['Devanagari digits', '४४४४ ३३३३ २२२२ ११११'],
  ['mathematical digits', '𝟒𝟒𝟒𝟒𝟑𝟑𝟑𝟑𝟐𝟐𝟐𝟐𝟏𝟏𝟏𝟏'],
];

describe('a gateway that sends the card of the request back', () => {
  const answered = (message: string) => {
    const refusal = { type: 'validation-error', 'serial-number': '9', 'error-message': message, 'error-code': '6' };
    return paycli([...saleFlags, '--json', '--verbose'], {
      home: homeWithProfile(),
      network: [() => reply(200, refusal)],
    });
  };

  test.each(spread)('written with %s: it is printed nowhere', async (_, written) => {
    const ran = await answered(`wrong card ${written}, see 10.42`);
    expect(ran.requests).toHaveLength(1);
    expect(ran.out + ran.err).not.toContain(written);
    expect(ran.out + ran.err).toContain('wrong card •••• 1111, see 10.42');
  });

  test('other numbers with dots and slashes stay', async () => {
    const words = 'from 192.0.2.10/24 on 2030.01.07/12.30.15, version 4444.3333.2222.1112';
    const ran = await answered(words);
    expect(ran.out + ran.err).toContain(words);
  });
});
