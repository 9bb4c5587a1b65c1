import { type Command, Option } from 'commander';

/** A command that only holds others shows its help. */
export function asGroup(parent: Command): Command {
  return parent.usage('<command> [flags]').action(() => parent.outputHelp());
}

const collect = (value: string, all: readonly string[] = []): readonly string[] => [...all, value];

/** An option that may be given several times. */
export function repeated(flags: string, text: string): Option {
  return new Option(flags, text).argParser(collect);
}
