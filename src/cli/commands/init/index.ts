import type { Command } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addGlobalOptions } from '../../core/options.js';
import { addValueOptions, classOption } from '../profile/index.js';

const brief = 'Start here: set up a profile step by step, and check it';
const about = `${brief}

What no flag says is asked for on a terminal; elsewhere the flags must say it all. A key is never the value of a flag. \
The profile and its keys are written together or not at all.

Then one signed question about an order that does not exist tells whether the gateway knows the credentials: exit 0 when it does \
or was not asked, 4 when it refused, 6 when nothing was sent, 9 when no answer came. The profile stays in each case.`;

/** The guided start. */
export function addInit(init: Command, { runtime, finish }: ProgramContext): void {
  init
    .summary(brief)
    .description(withExamples(about, initExamples))
    .option('--name <name>', 'name of the profile: letters, digits, points and dashes')
    .addOption(classOption('where to: the sandbox in the box, a test gateway or a live one'));
  addValueOptions(init)
    .option('--generate-key', 'make an RSA key of 4096 bits in a file of its own')
    .option('--support-text <file>', 'write what support needs to know about the RSA key into this new file as well')
    .option('--no-check', 'do not ask the gateway at the end')
    .option('--live', 'let the check ask a live gateway')
    .option('-y, --yes', 'ask only for what is missing, and not for a last yes')
    .option('--no-input', 'never ask');
  addGlobalOptions(init).action(async () => {
    const { runInit } = await import('./init.js');
    finish.exit = await runInit(init.opts(), runtime);
  });
}

/**
 * Examples of `init`, without the word `paycli`; a test runs them in this order, with a control key in the file they
 * name and on standard input where one reads `-`.
 */
export const initExamples = [
  'init',
  'init --class sandbox',
  'init --name shop-test --class test --base-url https://gate.example/prefix --login my-shop --endpoint-id 4001 --control-key-file control.key',
  'init --name shop-live --class live --base-url https://live.example --login my-shop --endpoint-id 4001 --endpoint EUR=4002 --max-amount "500.00 EUR" --control-key-file - --generate-key --no-check --json',
] as const satisfies readonly string[];
