import { type Command, Option } from 'commander';
import { testCards } from '../../../spec/index.js';
import type { ProgramContext } from '../../core/command-line.js';
import { addConnectionOptions, addGlobalOptions, asGroup } from '../../core/options.js';

/** `3ds decode`, `3ds lint`, `3ds run`. */
export function addThreeds(parent: Command, context: ProgramContext): void {
  const { runtime, finish } = context;
  const decode = asGroup(parent)
    .command('decode')
    .description('Show a 3-D Secure message in the clear')
    .argument('<text>', messageText);
  addGlobalOptions(decode).action(async (text: string) => {
    const { runThreedsDecode } = await import('./read.js');
    finish.exit = await runThreedsDecode(text, decode.opts(), runtime);
  });
  const lint = parent
    .command('lint')
    .description('Name what is wrong with a 3-D Secure message')
    .argument('<text>', messageText)
    .option('--order <id>', 'hold its ids against the open step of this order')
    .option('--client-order-id <id>', 'your own id for that order')
    .option('--live', 'needed with a live profile');
  addGlobalOptions(addConnectionOptions(lint)).action(async (text: string) => {
    const { runThreedsLint } = await import('./read.js');
    finish.exit = await runThreedsLint(text, lint.opts(), runtime);
  });
  const run = parent
    .command('run')
    .description('Take an order through 3-D Secure with no browser: frame, challenge, upload, status')
    .option('--order <id>', 'the order id the gateway gave')
    .option('--client-order-id <id>', 'your own id for the order')
    .addOption(
      new Option('--path <path>', 'what the payer does').choices([
        'frictionless',
        'challenge',
        'fail',
        'abandon',
        'timeout',
      ]),
    );
  addGlobalOptions(addConnectionOptions(run)).action(async () => {
    const { runThreedsRun } = await import('./run.js');
    finish.exit = await runThreedsRun(run.opts(), runtime);
  });
}

const messageText = 'CReq, CRes, PaReq, PaRes or method data; - for standard input';

/** `form fill`, beside the operations that open forms. */
export function addFormFill(program: Command, { runtime, finish }: ProgramContext): void {
  const fill = program.commands
    .find((command) => command.name() === 'form')
    ?.command('fill')
    .description('Fill in a hosted page of the sandbox, with no browser')
    .argument('<url>', 'the redirect-url of the form')
    .option('--test-card <name>', `a published test card (${testCards[0]?.name ?? ''})`)
    .option('--cancel', 'press the cancel button instead')
    .option('--no-return', 'do not bring the answer back to the merchant');
  if (fill === undefined) return;
  addGlobalOptions(fill).action(async (url: string) => {
    const { runFormFill } = await import('./form-fill.js');
    finish.exit = await runFormFill(url, fill.opts(), runtime);
  });
}
