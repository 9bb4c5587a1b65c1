import { type Command, Option } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addConnectionOptions, addGlobalOptions, asGroup, repeated } from '../../core/options.js';

/** `profile …`, `config …` and `whoami`. */
export function addProfiles(program: Command, context: ProgramContext): void {
  const tool = (name: string, brief: string) => program.command(name).description(brief).helpGroup('Tools:');
  const profile = asGroup(tool('profile', 'Profiles: where to send and as whom'));
  addAdd(
    described(profile, 'profile add', 'Add a profile to the user file, and put its control key into a safe place'),
    context,
  );
  addList(described(profile, 'profile list', 'List the profiles and where they come from'), context);
  addShow(
    described(profile, 'profile show', 'One profile: its values, their origins, the fingerprints of its keys'),
    context,
  );
  addUse(described(profile, 'profile use', 'Make a profile the default one'), context);
  addRemove(
    described(profile, 'profile remove', 'Take a profile out of the user file, and the key stored for it'),
    context,
  );
  const config = asGroup(tool('config', 'Configuration files'));
  addExplain(
    described(config, 'config explain', 'Every value in force, where it comes from, and what it hides'),
    context,
  );
  addTrust(config.command('trust').description('Let a project file set connection, keys and assumptions'), context);
  addWhoami(
    described(
      program,
      'whoami',
      'The connection in force: class, address, login, keys, what live payments ask',
    ).helpGroup('Tools:'),
    context,
  );
}

function described(parent: Command, path: keyof typeof profileExamples, brief: string): Command {
  const name = path.split(' ').at(-1) ?? '';
  return parent.command(name).summary(brief).description(withExamples(brief, profileExamples[path]));
}

function addAdd(add: Command, { runtime, finish }: ProgramContext): void {
  add.argument('<name>', 'letters, digits, points and dashes').addOption(classOption('what kind of gateway it is'));
  addValueOptions(add).option('--no-input', 'never ask');
  addGlobalOptions(add).action(async (name: string) => {
    const { runProfileAdd } = await import('./add.js');
    finish.exit = await runProfileAdd(name, add.opts(), runtime);
  });
}

export function classOption(text: string): Option {
  return new Option('--class <class>', text).choices(['sandbox', 'test', 'live']);
}

/** Flags for what a new profile says. */
export function addValueOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'gateway base address, path prefix included')
    .option('--login <login>', 'merchant login')
    .option('--endpoint-id <id>', 'endpoint, or endpoint group')
    .addOption(
      repeated('--endpoint <key=id>', 'another endpoint for a currency or an operation, such as EUR=4002; repeatable'),
    )
    .option(
      '--control-key-file <file>',
      'read the merchant control key from this file (mode 0600) and store it; - is standard input',
    )
    .option('--control-key-fd <number>', 'the same from an open descriptor')
    .addOption(
      new Option(
        '--store <store>',
        'where the control key goes: a file of its own beside the configuration (file)',
      ).choices(['file', 'keyring']),
    )
    .option('--private-key-file <file>', 'the RSA private key (PEM, mode 0600); it stays where it is')
    .option('--passphrase-file <file>', 'the passphrase of that key; it stays where it is')
    .addOption(repeated('--max-amount <amount>', 'largest single payment, such as "500.00 EUR"; once per currency'))
    .option('--replace', 'put it in the place of the profile that has this name');
}

function addList(list: Command, { runtime, finish }: ProgramContext): void {
  addGlobalOptions(list).action(async () => {
    const { runProfileList } = await import('./config.js');
    finish.exit = await runProfileList(list.opts(), runtime);
  });
}

function addShow(show: Command, { runtime, finish }: ProgramContext): void {
  show.argument('[profile]', 'the one in force when left out');
  addGlobalOptions(show).action(async (name: string | undefined) => {
    const { runProfileShow } = await import('./whoami.js');
    finish.exit = await runProfileShow(name, show.opts(), runtime);
  });
}

function addUse(use: Command, { runtime, finish }: ProgramContext): void {
  addGlobalOptions(use.argument('<profile>', 'a profile, or sandbox')).action(async (name: string) => {
    const { runProfileUse } = await import('./change.js');
    finish.exit = await runProfileUse(name, use.opts(), runtime);
  });
}

function addRemove(remove: Command, { runtime, finish }: ProgramContext): void {
  remove.argument('<profile>').option('--yes', 'do not ask').option('--no-input', 'never ask');
  addGlobalOptions(remove).action(async (name: string) => {
    const { runProfileRemove } = await import('./change.js');
    finish.exit = await runProfileRemove(name, remove.opts(), runtime);
  });
}

function addExplain(explain: Command, { runtime, finish }: ProgramContext): void {
  addGlobalOptions(addConnectionOptions(explain)).action(async () => {
    const { runConfigExplain } = await import('./config.js');
    finish.exit = await runConfigExplain(explain.opts(), runtime);
  });
}

function addTrust(trust: Command, { runtime, finish }: ProgramContext): void {
  addGlobalOptions(trust.argument('<file>')).action(async (file: string) => {
    const { runConfigTrust } = await import('./config.js');
    finish.exit = await runConfigTrust(file, trust.opts(), runtime);
  });
}

function addWhoami(whoami: Command, { runtime, finish }: ProgramContext): void {
  addGlobalOptions(addConnectionOptions(whoami)).action(async () => {
    const { runWhoami } = await import('./whoami.js');
    finish.exit = await runWhoami(whoami.opts(), runtime);
  });
}

/**
 * Examples of the commands about profiles, without the word `paycli`; each follows on those before it. A test runs them
 * in this order, with a control key on standard input where one reads `-`.
 */
export const profileExamples = {
  'profile add': [
    'profile add shop-test --class test --base-url https://gate.example/prefix --login my-shop --endpoint-id 4001 --control-key-file control.key',
    'profile add shop-live --class live --base-url https://live.example --login my-shop --endpoint-id 4001 --control-key-file -',
    'profile add shop-test --replace --store keyring --class test --base-url https://gate.example --login my-shop --endpoint-id 4001 --control-key-file control.key',
  ],
  'profile list': ['profile list'],
  'profile show': ['profile show', 'profile show shop-live --json'],
  'profile use': ['profile use shop-test'],
  'config explain': ['config explain', 'config explain --profile shop-live --login other --json'],
  whoami: ['whoami', 'whoami --profile shop-live'],
  'profile remove': ['profile remove shop-live --yes'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
