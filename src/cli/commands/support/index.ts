import type { Command } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addConnectionOptions, addGlobalOptions, asGroup } from '../../core/options.js';

/** `support bundle`. */
export function addSupport(program: Command, { runtime, finish }: ProgramContext): void {
  const support = asGroup(
    program.command('support').description('What the support of the gateway or a colleague needs').helpGroup('Tools:'),
  );
  const bundle = support.command('bundle');
  bundle
    .summary('Everything known here about an order, masked, in one archive')
    .description(
      withExamples(
        'Pack everything known here about an order into one zip archive: timeline, journal, callbacks, signing stages, assumptions, versions. Card data and keys are left out, every file is searched for secrets first, and nothing is sent',
        supportExamples,
      ),
    )
    .argument('[order]', 'the order id the gateway gave, or your own')
    .option('--client-order-id <id>', 'your own id of the order')
    .option('--out <file>', 'where the archive goes (paycli-support-ORDER.zip in this folder)')
    .option('--replace', 'put it in the place of a file of that name');
  addGlobalOptions(addConnectionOptions(bundle)).action(async (order: string | undefined) => {
    const { runSupportBundle } = await import('./bundle.js');
    finish.exit = await runSupportBundle(order, bundle.opts(), runtime);
  });
}

/** Examples of `support bundle`, without the word `paycli`; a test runs them after a sale with the id order-1. */
export const supportExamples = [
  'support bundle order-1',
  'support bundle --client-order-id order-1 --out case-17.zip',
  'support bundle order-1 --replace --json',
] as const;
