import type { Command } from 'commander';
import { exitsByEffect } from '../../errors/index.js';
import { declaredBy } from '../command.js';
import { type CommandFacts, declarationOf } from './define-command.js';

/** What a command may do and how it may end, from its declaration; a group only shows its help. */
export function factsOf(command: Command): CommandFacts {
  const declared = declaredBy(command);
  if (declared === undefined) return declarationOf(command) ?? { effect: 'none', network: false, exits: [] };
  const { effect, note } = declared;
  return {
    effect: effect === 'local' ? 'none' : effect,
    network: effect !== 'local',
    exits: exitsByEffect[effect],
    ...(note === undefined ? {} : { note }),
  };
}
