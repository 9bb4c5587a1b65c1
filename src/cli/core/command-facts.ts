import type { Command } from 'commander';
import type { ExitName } from '../../errors/index.js';
import { type Operation, operationNamed } from '../../spec/index.js';
import { type CommandFacts, declarationOf, profileExits } from './define-command.js';
import { pathOf } from './usage-checks.js';

/** What a command may do and how it may end, by its declaration or by its operation; a group shows its help. */
export function factsOf(command: Command): CommandFacts {
  const row = operationOf(pathOf(command));
  return (
    declarationOf(command) ?? (row === undefined ? { effect: 'none', network: false, exits: [] } : factsOfRow(row))
  );
}

/** `payout form` is a second name of `form payout`. */
export function operationOf(path: string): Operation | undefined {
  return operationNamed(path === 'payout form' ? 'form payout' : path);
}

/** By the reply: only what has a status can be waited for, or be declined. */
function factsOfRow({ effect, records }: Operation): CommandFacts {
  const hasStatus = records.reply === 'AsyncResponse' || records.reply === 'StatusResponse';
  const answered: readonly ExitName[] = hasStatus ? ['declined', 'pending', 'unknown', 'checkFailed'] : [];
  const asked: ExitName = effect === 'read' ? 'readFailed' : 'unknown';
  return {
    effect,
    network: true,
    exits: [...profileExits, 'refused', 'notSent', 'refusedHere', 'interrupted', ...answered, asked],
  };
}
