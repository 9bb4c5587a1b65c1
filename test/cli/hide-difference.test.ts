import { expect, test } from 'vitest';
import { maskDifference } from '../../src/cli/commands/sign/mask-difference.js';

const card = '4444333322221111';
const cvv = '9876';

/** How far the text has been encoded: not at all, once, twice, three times. */
const encoded = (text: string, times: number): string =>
  times === 0 ? text : encoded(encodeURIComponent(text), times - 1);

test.each([
  ['in the middle', `amount=x&credit_card_number=${card}&currency=EUR&cvv2=${cvv}&email=a`],
  ['at the end', `amount=x&email=a&sending-card-number=${card}`],
  ['two of them', `credit_card_number=${card}&destination-card-no=${card}&n=v`],
])('wherever a stretch begins and ends, no three digits of a card are left: %s', (_, parameters) => {
  for (const times of [0, 1, 2, 3]) {
    const text = `POST&https%3A%2F%2Fg.example%2Fp&${encoded(parameters, times)}`;
    for (let begin = 0; begin < text.length; begin += 1) {
      for (const length of [12, 24, 48]) {
        const stretch = text.slice(begin, begin + length);
        const { ours, theirs } = maskDifference({ of: 'base string', at: begin, ours: stretch, theirs: stretch });
        expect(theirs).toBe(ours);
        expect(ours, stretch).not.toMatch(/444|443|433|333|332|322|222|221|211|111|987|876/);
      }
    }
  }
});

test('the values of other fields stay, once their name is there', () => {
  const text = 'email%3Djane%2540example.com%26amount%3D10.42%26cvv2%3D123%26zip_code%3D10115';
  const { ours } = maskDifference({ of: 'base string', at: 0, ours: text, theirs: text });
  expect(ours).toBe('email%3Djane%2540example.com%26amount%3D10.42%26cvv2%3D•••%26zip_code%3D10115');
});

test('the pair of a card field keeps the last four digits, of a security code nothing, any other all', () => {
  const hidden = (name: string) =>
    maskDifference({
      of: 'base string',
      at: 0,
      ours: '',
      theirs: '',
      pair: { ours: [name, card], theirs: [name, `${card}0`] },
    }).pair;
  expect(hidden('credit_card_number')).toEqual({
    ours: ['credit_card_number', '•••• 1111'],
    theirs: ['credit_card_number', '•••• 1110'],
  });
  expect(hidden('cvv2')).toEqual({ ours: ['cvv2', '•••'], theirs: ['cvv2', '•••'] });
  expect(hidden('client_orderid')).toEqual({ ours: ['client_orderid', card], theirs: ['client_orderid', `${card}0`] });
});
