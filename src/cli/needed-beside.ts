import type { Command } from 'commander';
import { fail } from '../errors/index.js';
import { pathOf } from './suggest.js';

/** Flags that change nothing unless one of the others stands beside them, on the commands that have both. */
const neededBeside: readonly (readonly [flag: string, others: readonly string[]])[] = [
  ['--wait-timeout', ['--wait']],
  ['--evidence', ['--accept']],
  ['--approved-by', ['--settle-as', '--resend']],
];

/** Refuses such a flag that stands alone: whoever gives it counts on what it would do. Throws USAGE. */
export function refuseAlone(command: Command): void {
  const given = (flag: string): boolean | undefined => {
    const option = command.options.find(({ long }) => long === flag);
    return option === undefined ? undefined : command.getOptionValue(option.attributeName()) !== undefined;
  };
  for (const [flag, others] of neededBeside) {
    const there = others.filter((other) => given(other) !== undefined);
    if (given(flag) !== true || there.length === 0 || there.some((other) => given(other) === true)) continue;
    throw fail('USAGE', { why: `${flag} does nothing without ${there.join(' or ')}; add that, or leave it out`, command: pathOf(command) });
  }
}
