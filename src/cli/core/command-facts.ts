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
const commandsOwn = 'With --run it ends with the exit code of the command behind --.';

// LATER: gone once every command is a declaration.
/** Commands that are no operation. A group ends like a command that prints its help. */
const tools: Readonly<Record<string, CommandFacts>> = {
  request: facts(
    'money',
    true,
    [...configured, 4, 6, 7, 8, 9, 10, 130],
    'A path the interface does not have counts as moving money.',
  ),
  recipe: local(configured),
  flow: facts('read', true, asking),
  can: facts('read', true, [...asking, 11]),
  wait: facts('read', true, [...asking, 5, 7, 11]),
  timeline: local(configured),
  whoami: local(configured),
  version: local(always),
  'assumptions list': local(configured),
  'assumptions explain': local(configured),
  'assumptions set': local([...configured, 10, 130]),
  'sandbox start': local(configured, commandsOwn),
  'sandbox audit': local([...always, 11]),
  '3ds decode': local([...always, 11]),
  '3ds lint': facts('read', true, [...asking, 11]),
  '3ds run': facts('write', true, [...asking, 5, 7], 'Never with a live profile: it makes up what a bank says.'),
  'form fill': facts('money', true, [...configured, 5, 6, 7, 9], 'Works with sandboxes only.'),
  'profile add': local([...configured, 10, 130]),
  'profile list': local(configured),
  'profile show': local(configured),
  'profile use': local(configured),
  'profile remove': local([...configured, 10, 130]),
  'config explain': local(configured),
  'config trust': local(configured),
  sign: local([...configured, 10]),
  'sign raw': local(configured),
  'sign control': local(configured),
  'sign verify': local([...configured, 11]),
  'sign diff': local([...configured, 11]),
  'sign find-mistake': local([...configured, 11]),
  'sign curl': local(configured),
  'sign php': local(configured),
  'sign python': local(configured),
  'sign vectors': local(always),
};

/** Groups whose commands stay on this machine and need nothing but its disk. */
const plainGroups = ['sandbox'];

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
