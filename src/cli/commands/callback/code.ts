import type { Runtime } from '../../../runtime/ports.js';
import { type ControlEncoding, controlEncoding } from '../../../signing/index.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { readInterfaceSettings } from '../../core/open-session.js';
import { type CommonOptions, connectionFlags } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { csharpHandler } from './code/csharp.js';
import { javaHandler } from './code/java.js';
import { nodeHandler } from './code/node.js';
import { phpHandler } from './code/php.js';
import { pythonHandler } from './code/python.js';

type WriteHandler = (encoding: ControlEncoding, run: string) => string;

/** Every language a handler can be written in, with how it is run. */
const handlers: ReadonlyMap<string, { readonly write: WriteHandler; readonly run: string }> = new Map([
  ['php', { write: phpHandler, run: 'sh -c \'php -S "127.0.0.1:$PORT" callback.php\'' }],
  ['python', { write: pythonHandler, run: 'python3 callback.py' }],
  ['node', { write: nodeHandler, run: 'node callback.mjs' }],
  ['java', { write: javaHandler, run: 'java Callback.java' }],
  ['csharp', { write: csharpHandler, run: 'mono callback.exe' }],
]);

export const callbackCode = defineCommand({
  name: 'callback code',
  summary: 'A program that receives callbacks and verifies their checksum (control) in constant time',
  args: [['<language>', 'language of the program', [...handlers.keys()]]],
  options: [...connectionFlags],
  examples: ['callback code php > callback.php', 'callback code node > callback.mjs'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['callback-code'],
  run: ({ args: [language = ''], options, runtime }) => runCallbackCode(language, options, runtime),
});

/** Prints a handler for callbacks as the profile's gateway makes them. No key is read for it. */
async function runCallbackCode(language: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const settings = await readInterfaceSettings(options, runtime);
  const handler = handlers.get(language);
  // The parser lets no other language through.
  if (handler === undefined) throw new RangeError(language);
  const program = handler.write(controlEncoding(settings.assume), handler.run);
  await new Reporter(options, settings, runtime).show({
    isExact: true,
    document: { schema: 'paycli.callback-code/1', profile: settings.name, language, program },
    text: () => program,
  });
  return 0;
}
