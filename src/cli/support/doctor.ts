import type { Runtime } from '../../runtime/ports.js';
import { printable } from '../../wire/redact.js';
import { checks, type DoctorOptions, examine } from '../commands/doctor.js';
import type { CommonOptions } from '../options.js';

// A clock is compared over the network, and the terminal of whoever packs this says nothing about the order.
const leftOut: ReadonlySet<string> = new Set(['clock', 'terminal']);

/** The findings of `doctor` that take no network. */
export async function doctorText(options: CommonOptions, runtime: Runtime): Promise<string> {
  const asked: DoctorOptions = { ...options, online: false };
  const examined = await examine(asked, runtime);
  const lines: string[] = [];
  for (const [name, check] of checks) {
    if (leftOut.has(name)) continue;
    const { result, text, next } = await check(examined, asked, runtime);
    lines.push(`${result}  ${name.padEnd(14)} ${text}${next === undefined ? '' : `; do: ${next}`}`);
  }
  return `${lines.map((line) => printable(line).replaceAll('\n', ' ')).join('\n')}\n`;
}
