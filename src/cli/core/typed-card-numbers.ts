import type { Command } from 'commander';
import { fail } from '../../errors/index.js';
import { isCardNumber } from '../../wire/mask.js';
import { secretInSentence } from '../../wire/secret-names.js';
import { orderLooksLikeCard, pathOf } from '../usage.js';

// Texts that the journal or a batch keeps for good, and shows to everybody who reads it.
const keptTexts: readonly (readonly [flag: string, attribute: string])[] = [
  ['--evidence', 'evidence'],
  ['--reason', 'reason'],
];

/** Refuses a card number, security code or key in a text that is kept. Throws USAGE, without it. */
export function assertNoSecretKept(command: Command): void {
  for (const [flag, attribute] of keptTexts) {
    const text: unknown = command.getOptionValue(attribute);
    const what = typeof text === 'string' ? secretInSentence(text) : undefined;
    if (what === undefined) continue;
    const instead = what === 'a card number' ? 'write only its last four digits' : 'leave it out';
    throw fail('USAGE', {
      why: `${flag} contains ${what}, but its text would be stored and shown: ${instead}`,
      flag,
      command: pathOf(command),
    });
  }
}

/**
 * Refuses an order argument that looks like a card number, where a flag can name an order with such an id: the argument
 * would be sent and shown. Throws USAGE, without the number.
 */
export function assertOrderIsNoCard(command: Command): void {
  const at = command.registeredArguments.findIndex((argument) => argument.name() === 'order');
  const order: unknown = command.processedArgs[at];
  const flag = command.options.find(({ long }) => long === '--order-id' || long === '--order')?.long;
  if (typeof order === 'string' && flag && isCardNumber(order.trim())) throw orderLooksLikeCard(flag, pathOf(command));
}
