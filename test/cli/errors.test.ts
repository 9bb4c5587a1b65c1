import { describe, expect, test } from 'vitest';
import { topicNames } from '../../src/cli/docs/topics.js';
import { type CatalogueRow, catalogue } from '../../src/errors/index.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { batch } from './errors/batch.js';
import { commandLine } from './errors/command-line.js';
import type { ErrorCase } from './errors/error-case.js';
import { fields } from './errors/fields.js';
import { gateway } from './errors/gateway.js';
import { machine } from './errors/machine.js';
import { moneySafety } from './errors/money-safety.js';
import { settings } from './errors/settings.js';
import { homeWithProfile } from './profiles.js';

const cases: readonly ErrorCase[] = [
  ...[...batch, ...commandLine, ...fields, ...gateway, ...machine, ...moneySafety, ...settings],
];

// Whatever could lead to the first is caught before by a check with a better answer. The others are in callback.test.ts,
// sandbox.test.ts and certify.
const unprovoked: readonly string[] = [
  ...'AMOUNT_INVALID URL_INVALID BATCH_LEFT PROGRAM_FAILED NO_CALLBACK HANDLER_SILENT NOT_JUDGED CERTIFY_STOPPED'.split(
    ' ',
  ),
];

describe('a command line that goes wrong ends with its code and exit', () => {
  test.each(cases.map((one) => [one.code, one.argv.join(' '), one] as const))('%s: %s', async (code, _, one) => {
    const home = one.profile === undefined ? temporaryHome() : homeWithProfile(one.profile);
    await one.before?.(home);
    const port = String((await one.port?.()) ?? '');
    const argv = one.argv.map((word) => word.replace('HOME', home).replace('PORT', port));
    const ran = await paycli(asJson(argv), { home, ...one.options?.(home) });
    expect([ran.exit, codeIn(ran.err)], ran.out + ran.err).toEqual([catalogue[code].exit, code]);
  });

  test('each of the catalogue does', () => {
    const met = new Set<string>([...cases.map(({ code }) => code), ...unprovoked]);
    expect(Object.keys(catalogue).filter((code) => !met.has(code))).toEqual([]);
  });

  test('and each topic that one refers to is there', () => {
    const rows: readonly CatalogueRow[] = Object.values(catalogue);
    for (const { topic } of rows) if (topic !== undefined) expect(topicNames).toContain(topic);
  });
});

/** Words behind `--` belong to another program. */
function asJson(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  if (argv.includes('--json')) return argv;
  return end === -1 ? [...argv, '--json'] : [...argv.slice(0, end), '--json', ...argv.slice(end)];
}

function codeIn(stderr: string): unknown {
  const line = stderr.split('\n').find((each) => each.startsWith('{"schema":"paycli.error/1"'));
  return line === undefined ? undefined : JSON.parse(line).code;
}
