import type { Command } from 'commander';
import { fail } from '../../errors/index.js';
import { holdsCardNumber, isCardNumber } from '../../wire/secret-names.js';
import { pathOf } from './usage-checks.js';

// Texts that the journal or a batch keeps for good, and shows to everybody who reads it.
const keptTexts: readonly (readonly [flag: string, attribute: string])[] = [
  ['--evidence', 'evidence'],
  ['--reason', 'reason'],
  ['--approved-by', 'approvedBy'],
];

/** Refuses a card number in a text that is kept. Throws USAGE, without the number. */
export function assertNoCardKept(command: Command): void {
  for (const [flag, attribute] of keptTexts) {
    const text: unknown = command.getOptionValue(attribute);
    if (typeof text === 'string' && holdsCardNumber(text))
      throw fail('cardNumberInText', { flag, command: pathOf(command) });
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
  if (typeof order === 'string' && flag && isCardNumber(order.trim()))
    throw fail('orderLooksLikeCard', { flag, command: pathOf(command) });
}
