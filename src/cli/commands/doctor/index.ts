import type { Command } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addConnectionOptions, addGlobalOptions } from '../../core/options.js';

/** Without the word `paycli`. */
export const doctorExamples = ['doctor', 'doctor --json'] as const;

const about = `Check everything paycli stands on: runtime, configuration, keys, clock, journal, disk

Nothing secret is shown. Without --online no operation is sent.

With it, a question is signed in each scheme the profile has a key for, and a refusal fails.
Each is about an order or a card reference that does not exist, so it changes nothing.

Exit 0 when nothing fails, 11 otherwise.`;

export function addDoctor(doctor: Command, { runtime, finish }: ProgramContext): void {
  doctor
    .summary('Check runtime, configuration, keys, clock, journal and disk')
    .description(withExamples(about, doctorExamples))
    .option(
      '--online',
      'ask the gateway for its time, which loopback addresses always are, and a question signed with each key',
    )
    .option('--live', 'needed for --online with a live profile');
  addGlobalOptions(addConnectionOptions(doctor)).action(async () => {
    const { runDoctor } = await import('./doctor.js');
    finish.exit = await runDoctor(doctor.opts(), runtime);
  });
}
