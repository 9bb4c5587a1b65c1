import type { Command } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addConnectionOptions, addGlobalOptions, asGroup } from '../../core/options.js';

const about = `Let some live payments through for a while without typing the login for each

A lease names commands, a sum for all of them together, and an end. It holds for this profile, login, address, machine and user, \
and only in the place of the typed login: every command still needs --live, and the caps of the profile stay. Every use is \
counted and written into the journal.`;

/** The `live` group. */
export function addLive(program: Command, context: ProgramContext): void {
  const live = asGroup(
    program
      .command('live')
      .description('Leases: live payments without typing the login each time')
      .helpGroup('Money safety:'),
  );
  addUnlock(live.command('unlock'), context);
  addStatus(live.command('status'), context);
  addLock(live.command('lock'), context);
}

function addUnlock(unlock: Command, { runtime, finish }: ProgramContext): void {
  unlock
    .summary('Give a lease')
    .description(withExamples(about, liveExamples.unlock))
    .option('--for <time>', 'how long it stands, such as 15m or 2h; 8h at most')
    .option('--ops <operations>', 'the commands it covers, separated by commas, such as return,void')
    .option('--max <amount>', 'all of them together at most, such as "500.00 EUR"')
    .option('--live', 'needed on every command that uses a live profile')
    .option('--confirm-login <login>', 'the merchant login, instead of typing it')
    .option('--no-input', 'never ask');
  addGlobalOptions(addConnectionOptions(unlock)).action(async () => {
    const { runLiveUnlock } = await import('./leases.js');
    finish.exit = await runLiveUnlock(unlock.opts(), runtime);
  });
}

function addStatus(status: Command, { runtime, finish }: ProgramContext): void {
  const brief = 'The leases that stand, and what is left of them';
  addGlobalOptions(status.summary(brief).description(withExamples(brief, liveExamples.status))).action(async () => {
    const { runLiveStatus } = await import('./leases.js');
    finish.exit = await runLiveStatus(status.opts(), runtime);
  });
}

function addLock(lock: Command, { runtime, finish }: ProgramContext): void {
  const brief = 'End all leases at once';
  addGlobalOptions(lock.summary(brief).description(withExamples(brief, liveExamples.lock))).action(async () => {
    const { runLiveLock } = await import('./leases.js');
    finish.exit = await runLiveLock(lock.opts(), runtime);
  });
}

/** Examples of the `live` commands, without the word `paycli`; a test runs them in this order with a live profile. */
export const liveExamples = {
  unlock: [
    'live unlock --for 15m --ops return,void --max "500.00 EUR" --live',
    'live unlock --for 2h --ops "payout pay" --max "1200.00 EUR" --live',
  ],
  status: ['live status', 'live status --json'],
  lock: ['live lock'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
