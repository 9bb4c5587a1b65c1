import type { Command } from 'commander';
import type { ProgramContext } from './context.js';
import { withExamples } from './help/examples-text.js';
import { initExamples } from './help/init-examples.js';
import { addGlobalOptions } from './options.js';
import { addValueOptions, classOption } from './profile-tools.js';

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
    const { runInit } = await import('./commands/init.js');
    finish.exit = await runInit(init.opts(), runtime);
  });
}
