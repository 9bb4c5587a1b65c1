import type { Command } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addConnectionOptions, addGlobalOptions, addProfileFilter, asGroup, repeated } from '../../core/options.js';

/** The `callback` group. */
export function addCallbacks(program: Command, context: ProgramContext): void {
  const parent = asGroup(
    program
      .command('callback')
      .description('Callbacks of the gateway: take, check, hand on, replay')
      .helpGroup('Tools:'),
  );
  addListen(described(parent, 'listen', 'Take callbacks over HTTP until Ctrl-C', listenText), context);
  addList(described(parent, 'list', 'The callbacks that came, newest last'), context);
  addShow(described(parent, 'show', 'One callback with its fields and what came of it'), context);
  addReplay(
    described(parent, 'replay', 'Hand a stored callback to a handler once more, byte for byte', answerText),
    context,
  );
  addVerify(
    described(
      parent,
      'verify',
      'Whether the checksum of a callback fits; exit 11 when not, 8 when it does not prove the ids',
    ),
    context,
  );
  addSend(
    described(parent, 'send', 'Make up a callback on an order, signed with the key of the profile', answerText),
    context,
  );
}

// A25: the gateway repeats until it is answered with 200.
const listenText = [
  'Each callback is stored, with its bytes, before it is answered with 200; one that cannot be stored is answered with 500, so that it comes again.',
  'One whose checksum does not fit is stored as wrong and answered with 403: the gateway repeats it for days, time enough to correct a key.',
  'The same status, type and ids again are a repeat, counted and answered with 200.',
  'A callback alone settles nothing: where money could have moved, status is asked, and the journal follows status.',
].join(' ');
const answerText = "The handler's answer is shown: exit 0 for 200, 11 for any other status, 6 when there was none.";

function described(parent: Command, name: keyof typeof callbackExamples, brief: string, more = ''): Command {
  return parent
    .command(name)
    .summary(brief)
    .description(withExamples(`${brief}${more === '' ? '' : `\n\n${more}`}`, callbackExamples[name]));
}

function addListen(listen: Command, { runtime, finish }: ProgramContext): void {
  listen
    .usage('[flags] [--run -- command]')
    .argument('[command...]', 'with --run: what to run while callbacks are taken')
    .option('--port <number>', 'port; 0 for any free one (0)')
    .option('--host <address>', 'an address of this machine to listen at, such as 0.0.0.0 (127.0.0.1)')
    .addOption(
      repeated(
        '--allow-host <name>',
        'a name the Host header may have besides this machine, such as that of a tunnel; repeated as needed',
      ),
    )
    .option('--path <path>', 'where callbacks are taken (/callback)')
    .option('--forward <url>', 'hand each callback to this handler')
    .addOption(
      repeated(
        '--route <rule>',
        'hand callbacks with this value in this field elsewhere, such as "type=reversal -> URL"; repeated as needed',
      ),
    )
    .option('--answer-with-handler', "give the handler's status to the gateway, instead of 200 before it is asked")
    .addOption(
      repeated(
        '--old-control-key-file <file>',
        'a control key that still counts while keys are changed; repeated as needed',
      ),
    )
    .option('--ready-file <file>', 'write the address there once it listens')
    .option('--exit-after <number>', 'end after so many different callbacks')
    .option('--timeout <seconds>', 'end after so long; exit 7 when --exit-after was not reached')
    .option('--no-ask', 'never ask status')
    .option('--check', 'exit 11 when a checksum was wrong, or something did not agree with the journal or with status')
    .option('--run', 'run the command behind --, with PAYCLI_CALLBACK_URL set, then stop and give its exit code')
    .option('--live', 'needed with a live profile');
  addGlobalOptions(addConnectionOptions(listen)).action(async (command: string[]) => {
    const { runCallbackListen } = await import('./listen.js');
    finish.exit = await runCallbackListen(command, listen.opts(), runtime);
  });
}

function addList(list: Command, { runtime, finish }: ProgramContext): void {
  addProfileFilter(list, 'only those taken for this profile')
    .option('--order <id>', 'only of this order, by either id')
    .option('--since <time>', 'came at or after it: 2030-01-31, 2030-01-31T12:00:00Z, or 7d, 12h, 30m ago')
    .option('--limit <number>', 'the newest so many (200)');
  addGlobalOptions(list).action(async () => {
    const { runCallbackList } = await import('./history.js');
    finish.exit = await runCallbackList(list.opts(), runtime);
  });
}

function addShow(show: Command, { runtime, finish }: ProgramContext): void {
  addGlobalOptions(show.argument('<id>', 'its number in the list')).action(async (id: string) => {
    const { runCallbackShow } = await import('./history.js');
    finish.exit = await runCallbackShow(id, show.opts(), runtime);
  });
}

function addReplay(replay: Command, { runtime, finish }: ProgramContext): void {
  replay
    .argument('<id>', 'its number in the list')
    .option('--to <url>', 'the handler; the one it was forwarded to last when left out');
  addGlobalOptions(replay).action(async (id: string) => {
    const { runCallbackReplay } = await import('./replay.js');
    finish.exit = await runCallbackReplay(id, replay.opts(), runtime);
  });
}

function addVerify(verify: Command, { runtime, finish }: ProgramContext): void {
  verify
    .argument('<callback>', 'its fields as a text, an address with them, or @FILE; @- is standard input')
    .addOption(repeated('--old-control-key-file <file>', 'a further control key to try; repeated as needed'));
  addGlobalOptions(addConnectionOptions(verify)).action(async (input: string) => {
    const { runCallbackVerify } = await import('./verify.js');
    finish.exit = await runCallbackVerify(input, verify.opts(), runtime);
  });
}

function addSend(send: Command, { runtime, finish }: ProgramContext): void {
  send
    .option('--order <id>', 'the order id the gateway gave')
    .option('--client-order-id <id>', 'or your own id of it')
    .addOption(repeated('--set <field=value>', 'say this instead of what status says; repeated as needed'))
    .option('--post', 'as a form, instead of a GET')
    .option('--to <url>', 'the handler');
  addGlobalOptions(addConnectionOptions(send)).action(async () => {
    const { runCallbackSend } = await import('./send.js');
    finish.exit = await runCallbackSend(send.opts(), runtime);
  });
}

/**
 * Examples of the `callback` commands, without the word `paycli`; a test runs them after a sale with the id order-1,
 * with a handler at port 3000 and one callback in the history.
 */
export const callbackExamples = {
  listen: [
    'callback listen --forward http://127.0.0.1:3000/callback',
    'callback listen --exit-after 1 --timeout 60 --check --json',
    'callback listen --route "type=reversal -> http://127.0.0.1:3000/reversals" --forward http://127.0.0.1:3000/callback',
    'callback listen --forward http://127.0.0.1:3000/callback --run -- npm test',
  ],
  list: ['callback list', 'callback list --order order-1 --since 7d --json'],
  show: ['callback show 1'],
  replay: ['callback replay 1 --to http://127.0.0.1:3000/callback'],
  verify: ['callback verify @callback.txt', 'callback verify "status=approved&orderid=1&client_orderid=a&control=0"'],
  send: [
    'callback send --client-order-id order-1 --to http://127.0.0.1:3000/callback',
    'callback send --client-order-id order-1 --set status=declined --post --to http://127.0.0.1:3000/callback',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;
