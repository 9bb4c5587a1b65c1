import type { Command } from 'commander';
import type { ExitName } from '../../errors/index.js';
import { type Operation, operationNamed } from '../../spec/index.js';
import { type CommandFacts, declarationOf, profileExits } from './define-command.js';
import { pathOf } from './usage-checks.js';

/** What a command may do and how it may end, from its declaration or its operation; a group only shows its help. */
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

/** From the reply: only a reply with a status can be waited for or be declined. */
function factsOfRow({ effect, records }: Operation): CommandFacts {
  const hasStatus = records.reply === 'AsyncResponse' || records.reply === 'StatusResponse';
  const outcomeExits: readonly ExitName[] = hasStatus ? ['declined', 'pending', 'unknown', 'checkFailed'] : [];
  const noAnswerExit: ExitName = effect === 'read' ? 'readFailed' : 'unknown';
  return {
    effect,
    network: true,
    exits: [...profileExits, 'refused', 'notSent', 'refusedHere', 'interrupted', ...outcomeExits, noAnswerExit],
  };
}
