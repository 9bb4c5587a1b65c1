import type { Operation } from '../../spec/index.js';

/** What a command may do and how it may end. */
export interface CommandFacts {
  /** At the gateway: `none` for commands that ask it nothing. */
  readonly effect: Operation['effect'] | 'none';
  /** True when it may speak to the gateway or to another address. */
  readonly network: boolean;
  readonly exits: readonly number[];
  readonly note?: string;
}

// Every command may be used wrongly, fail in itself, or fail to write its --output-file.
const always = [0, 1, 2, 13];
const configured = [...always, 3];
/** Status is asked. */
const asking = [...configured, 4, 6, 8, 9, 10, 130];

const facts = (
  effect: CommandFacts['effect'],
  network: boolean,
  exits: readonly number[],
  note?: string,
): CommandFacts => ({
  effect,
  network,
  exits: [...new Set(exits)].sort((a, b) => a - b),
  ...(note === undefined ? {} : { note }),
});
const local = (exits: readonly number[], note?: string) => facts('none', false, exits, note);
/** Of a run over many rows. */
const batchExits = [...asking, 5, 7, 12];
const commandsOwn = 'With --run it ends with the exit code of the command behind --.';

// LATER: gone once every command is a declaration.
/** Commands that are no operation. A group ends like a command that prints its help. */
const tools: Readonly<Record<string, CommandFacts>> = {
  doctor: facts(
    'none',
    true,
    [...configured, 11],
    'Without --online only the time of a sandbox, or of a gateway on this machine, is asked. With it, one question in each scheme about an order or a card reference that does not exist.',
  ),
  init: facts(
    'read',
    true,
    [...configured, 4, 6, 9, 10, 130],
    'One status question about an order that does not exist; --no-check leaves it out.',
  ),
  'batch plan': local([...configured, 10, 130], 'It reads and checks; nothing is sent.'),
  'batch run': facts('money', true, batchExits, 'It sends every row once; what a row may do is that of its operation.'),
  'batch resume': facts('money', true, batchExits, 'What may have left is asked about, never sent again.'),
  'batch work': facts('money', true, batchExits, 'It takes rows from a database that several machines share.'),
  'batch move': facts('read', true, asking, 'It asks for what is open, and sends nothing.'),
  'batch report': facts('none', true, configured, 'Of a plan that runs on a database, that is asked.'),
  'batch approve': local([...configured, 10, 130], 'It sends nothing; it lets a plan be run.'),
  'batch reconcile': local([...configured, 11]),
  'batch list': facts('none', true, configured, 'A database is asked where --engine names one.'),
  'batch show': facts('none', true, configured, 'Of a plan that runs on a database, that is asked.'),
  commands: local(always),
  completion: local(always),
  'keys generate': local([...configured, 130]),
  'keys inspect': local([...configured, 11, 130]),
  'keys convert': local([...configured, 130]),
  'keys check-pair': local([...configured, 11, 130]),
  'callback listen': facts('read', true, [...configured, 7, 10, 11], commandsOwn),
  'callback list': local(configured),
  'callback show': local(always),
  'callback replay': facts('none', true, [...always, 6, 11], 'It speaks to your handler, never to the gateway.'),
  'callback verify': local([...configured, 11]),
  'callback send': facts('read', true, [...asking, 11], 'It speaks to your handler, and asks status.'),
  'live unlock': local([...configured, 10, 130], 'It lets payments through later; it makes none.'),
  'support bundle': local([...configured, 11]),
};

/** Groups whose commands stay on this machine and need nothing but its disk. */
const plainGroups = ['live'];

/** Undefined for a command that has no row yet; a test finds those. */
export function factsOf(path: string, row: Operation | undefined, isGroup: boolean): CommandFacts | undefined {
  if (row !== undefined) return operationFacts(row);
  const own = tools[path];
  if (own !== undefined) return own;
  const isPlain = isGroup || plainGroups.includes(path.split(' ')[0] ?? '');
  return isPlain ? local(always) : undefined;
}

/** By the reply: only what has a status can be waited for, or be declined. */
function operationFacts({ effect, records }: Operation): CommandFacts {
  const hasStatus = records.reply === 'AsyncResponse' || records.reply === 'StatusResponse';
  const answered = hasStatus ? [5, 7, 8, 11] : [];
  const asked = effect === 'read' ? [9] : [8];
  return facts(effect, true, [...configured, 4, 6, 10, 130, ...answered, ...asked]);
}
