import { type Command, Option } from 'commander';
import { statuses } from '../../../spec/index.js';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addConnectionOptions, addGlobalOptions } from '../../core/options.js';

/** `wait` and `timeline`. */
export function addWaiting(program: Command, context: ProgramContext): void {
  addWait(program.command('wait').helpGroup('Money safety:'), context);
  addTimeline(program.command('timeline').helpGroup('Money safety:'), context);
}

const finalWords = Object.entries(statuses).flatMap(([word, { final }]) => (final ? [word] : []));

function addWait(wait: Command, { runtime, finish }: ProgramContext): void {
  wait
    .summary('Wait for the outcome of an order, by callback or status')
    .description(
      withExamples(
        'Wait for the outcome of an order: status is asked every few seconds, later every few minutes, and at once when `paycli callback listen` stored a callback about it. The exit code is the outcome.',
        waitExamples.wait,
      ),
    )
    .argument('[order]', 'the order id the gateway gave, or your own when it was sent from here')
    .option('--client-order-id <id>', 'your own id of the order')
    .addOption(
      new Option('--for <outcome>', 'exit 0 on this outcome only, 11 on another final one (final)').choices([
        'final',
        ...finalWords,
      ]),
    )
    .option(
      '--via <ways>',
      'callback, poll or both; with callback alone status is asked first, at each callback and last (callback,poll)',
    )
    .option('--timeout <seconds>', 'give up waiting after this long, at most 3600 (300; 5 for the built-in sandbox)')
    .option('--live', 'needed on every command that uses a live profile');
  addGlobalOptions(addConnectionOptions(wait)).action(async (order: string | undefined) => {
    const { runWait } = await import('./wait.js');
    finish.exit = await runWait(order, wait.opts(), runtime);
  });
}

function addTimeline(timeline: Command, { runtime, finish }: ProgramContext): void {
  timeline
    .summary('Everything known here about an order, in time')
    .description(
      withExamples(
        'Everything known here about an order, in the order of time: requests and what became of them, 3-D Secure steps, callbacks and questions about its status; for the sandboxes of this machine their own log as well. Nothing is sent',
        waitExamples.timeline,
      ),
    )
    .argument('[order]', 'the order id the gateway gave, or your own')
    .option('--client-order-id <id>', 'your own id of the order');
  addGlobalOptions(addConnectionOptions(timeline)).action(async (order: string | undefined) => {
    const { runTimeline } = await import('./timeline.js');
    finish.exit = await runTimeline(order, timeline.opts(), runtime);
  });
}

/** Examples of `wait` and `timeline`, without the word `paycli`; a test runs them after a sale with the id order-1. */
export const waitExamples = {
  wait: [
    'wait --client-order-id order-1',
    'wait order-1 --for approved --timeout 600 --json',
    'wait order-1 --via callback --timeout 60',
  ],
  timeline: ['timeline order-1', 'timeline --client-order-id order-1 --json'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
