import { type ShownError, shellWord } from '../../errors/index.js';

const longNames: readonly string[] = ['--profile', '--base-url', '--login', '--endpoint-id'];

/** The commands that a text may suggest and that need these flags to reach the same gateway. */
export const placedCommands: readonly string[] = ['doctor', 'status', 'order', 'resolve', 'support bundle'];

const suggested = new RegExp(`\`paycli (${placedCommands.join('|')})(?= |\`)([^\`]*)\``, 'g');

/** The flags of a command line that name a profile or connection, as a suggested command repeats them. */
export function placeFlagsIn(argv: readonly string[]): string {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const flags = new Map<string, string>();
  for (const [at, word] of own.entries()) {
    const [, flag = '', joined] = /^(-p|--[a-z-]+)(?:=(.*))?$/s.exec(word) ?? /^(-p)(.+)$/s.exec(word) ?? [];
    const name = flag === '-p' ? '--profile' : flag;
    const value = joined ?? own[at + 1];
    if (longNames.includes(name) && value !== undefined) flags.set(name, value);
  }
  const words = [...flags].map(([flag, value]) => ` ${flag} ${shellWord(value)}`);
  return `${words.join('')}${words.length > 0 && own.includes('--live') ? ' --live' : ''}`;
}

/** A text whose suggested commands name the place as well: without it they would be about the default profile. */
export function withPlace(text: string, flags: string): string {
  if (flags === '') return text;
  return text.replace(suggested, (whole, command: string, rest: string) =>
    longNames.some((name) => rest.includes(`${name} `)) || rest.includes('--help')
      ? whole
      : `\`paycli ${command}${rest}${flags}\``,
  );
}

/** The same for everything that an error says. */
export function placedError(error: ShownError, flags: string): ShownError {
  if (flags === '') return error;
  const { message, next, beside } = error;
  return {
    ...error,
    message: withPlace(message, flags),
    next: withPlace(next, flags),
    ...(beside === undefined ? {} : { beside }),
  };
}
