import type { EngineAccess } from '../../../batch/engine-binding.js';
import type { PlanHead } from '../../../batch/plan.js';
import {
  type BatchCommands,
  isPaycliError,
  shellWord,
  unnamedCommands,
  withBatchCommands,
} from '../../../errors/index.js';
import { profileFlag } from '../../format/profile.js';

/** ` --engine … --row-key-file …`, fit for a shell; empty for this machine. */
export function engineFlagsText({ engine, rowKeyFile, enginePasswordFile }: EngineAccess): string {
  const flags = [
    ['--engine', engine],
    ['--row-key-file', rowKeyFile],
    ['--engine-password-file', enginePasswordFile],
  ] as const;
  return flags.map(([flag, value]) => (value === undefined ? '' : ` ${flag} ${shellWord(value)}`)).join('');
}

/** The same for a command that needs no row key. */
export function viewFlagsText({ rowKeyFile: _, ...access }: EngineAccess): string {
  return engineFlagsText(access);
}

/** A command of `batch` about a plan, whatever profile is the usual one; with more flags where it needs them. */
export function batchCommand(verb: string, head: PlanHead, more = ''): string {
  // Looking at a plan asks no gateway, so it takes no profile.
  const profile = verb === 'show' || verb === 'report' ? '' : profileFlagsOf(head);
  return `paycli batch ${verb} ${head.id}${more}${profile}`;
}

interface AboutBatch {
  /** Its id, or what the user typed for it. */
  readonly name: string;
  readonly way: EngineAccess;
  /** What continues with it on this machine: `work` where its plan is on another one. */
  readonly verb: 'resume' | 'work' | 'show' | 'report';
  /** What else `batch resume` and `batch work` need. */
  readonly profile?: string;
}

/** Commands about a batch, each with what it needs to run on this machine as it stands. */
export function commandsAbout({ name, way, verb, profile = '' }: AboutBatch): BatchCommands {
  const batchAndWay = `${shellWord(name, 'PLAN')}${engineFlagsText(way)}`;
  return {
    batchAndWay,
    resolve: `paycli resolve ORDER${viewFlagsText(way)}${profile}`,
    again: `paycli batch ${verb} ${batchAndWay}${verb === 'resume' || verb === 'work' ? profile : ''}`,
    // On the machine with the plan, whose way to the database is not known here.
    recover:
      verb === 'resume'
        ? `paycli batch resume ${batchAndWay} --after-restore${profile}`
        : `paycli batch resume ${shellWord(name, 'PLAN')} --engine … --after-restore`,
  };
}

/** What `batch resume` and `batch work` need to find the gateway of a plan. */
export function profileFlagsOf({ profile, class: kind }: Pick<PlanHead, 'profile' | 'class'>): string {
  return `${profileFlag(profile)}${kind === 'live' ? ' --live' : ''}`;
}

/** For a command that is about orders, not about a batch: it can only be run again itself, with these flags. */
export function commandsOfOrders(command: string, order: string | undefined, flags: string): BatchCommands {
  const named = order === undefined ? '' : ` ${shellWord(order, 'ORDER')}`;
  return { ...unnamedCommands(), again: `paycli ${command}${named}${flags}`, resolve: `paycli resolve ORDER${flags}` };
}

/** Errors of `work` name these commands. */
export async function namingCommands<T>(commands: () => BatchCommands, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isPaycliError(error) ? withBatchCommands(error, commands()) : error;
  }
}
