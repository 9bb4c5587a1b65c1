import type { Command } from 'commander';
import type { ExitName } from '../../errors/index.js';
import { type Operation, operationNamed } from '../../spec/index.js';
import { type CommandFacts, declarationOf, profileExits } from './define-command.js';
import { pathOf } from './usage-checks.js';

/** What a command may do and how it may end, from its declaration or its operation; a group only shows its help. */
export function factsOf(command: Command): CommandFacts {
  const row = operationNamed(pathOf(command));
  return (
    declarationOf(command) ?? (row === undefined ? { effect: 'none', network: false, exits: [] } : factsOfRow(row))
  );
}

/** From the reply: only a reply with a status can be waited for or be declined. */
function factsOfRow({ effect, records }: Operation): CommandFacts {
  const hasStatus = records.reply === 'AsyncResponse' || records.reply === 'StatusResponse';
  const outcomeExits: readonly ExitName[] = hasStatus ? ['declined', 'pending', 'unknown', 'checkFailed'] : [];
  // A read that was never sent ends as one without an answer.
  const noAnswerExits: readonly ExitName[] = effect === 'read' ? ['readFailed'] : ['notSent', 'unknown'];
  return {
    effect,
    network: true,
    exits: [...profileExits, 'refused', 'refusedHere', 'interrupted', ...outcomeExits, ...noAnswerExits],
  };
}
