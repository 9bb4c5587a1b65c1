import { fail } from '../errors/index.js';

const keyFlag = /^--(?:merchant[-_]?)?(control[-_]?key|private[-_]?key|passphrase)(?:=|$)/i;

/** No command takes a key as a flag's value. Refused before anything is parsed, so that no message repeats it. Throws KEY_ON_COMMAND_LINE. */
export function refuseKeys(argv: readonly string[]): void {
  const end = argv.indexOf('--');
  for (const arg of end === -1 ? argv : argv.slice(0, end)) {
    const [, name] = keyFlag.exec(arg) ?? [];
    if (name !== undefined)
      throw fail('KEY_ON_COMMAND_LINE', { flag: `--${name.toLowerCase().replace(/_|(?<=control|private)(?=key)/, '-')}` });
  }
}
