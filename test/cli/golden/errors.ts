import { expect } from 'vitest';
import { catalogue, type ErrorCode } from '../../../src/errors/index.js';
import { paycli, type TestOptions, temporaryHome } from '../../support/runtime.js';
import { homeWithProfile, type ProfileSpec, saleFlags } from '../profiles.js';

/** One command line that goes wrong, with what has to be so for it. */
export interface ErrorCase {
  readonly code: ErrorCode;
  /** For the reader, where the command line does not say it by itself. */
  readonly given?: string;
  /** `HOME` stands for the home of the case, and `PORT` for what `port` gives. */
  readonly argv: readonly string[];
  /** A home with this profile, named shop. */
  readonly profile?: ProfileSpec;
  readonly before?: (home: string) => unknown;
  readonly options?: (home: string) => TestOptions;
  readonly port?: () => Promise<number>;
}

/** What people and programs meet: the command line, the exit code and all of standard error. */
export async function errorText(one: ErrorCase): Promise<string> {
  const home = one.profile === undefined ? temporaryHome() : homeWithProfile(one.profile);
  await one.before?.(home);
  const port = String((await one.port?.()) ?? '');
  const argv = one.argv.map((word) => word.replace('HOME', home).replace('PORT', port));
  const ran = await paycli(argv, { home, ...one.options?.(home) });
  expect
    .soft([ran.exit, ran.err], `${argv.join(' ')}\n${ran.out}`)
    .toEqual([catalogue[one.code].exit, expect.stringMatching(formOf(one.code))]);
  const env = Object.entries(one.options?.(home).env ?? {}).map(([name, value]) => `${name}=${quoted(value)} `);
  const given = one.given === undefined ? '' : `# ${one.given}\n`;
  const text = `${given}$ ${env.join('')}paycli ${shown(argv)}\nexit ${ran.exit}\n${ran.err}`;
  return port === '' ? text.replaceAll(home, 'HOME') : text.replaceAll(home, 'HOME').replaceAll(port, 'PORT');
}

/** An error of this code, for people or for programs. */
function formOf(code: ErrorCode): RegExp {
  const { title, next } = catalogue[code];
  const words = (text: string) =>
    text
      // Parts that may be left out.
      .replace(/\[[^\]]*\]/g, '{optional}')
      // What is said without a fact.
      .replace(/\|[^{}]*\}/g, '}')
      .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replace(/ ?\{\w+(?::word)?\}/g, '[^]*')
      .replaceAll('{', '\\{');
  return new RegExp(`(?:error: )?${words(title)}\\nnext: {2}${words(next)}|"code":"${code}"`);
}

/** Fields that say nothing to the reader of an error. */
const usual = saleFlags.slice(saleFlags.indexOf('--card-number')).map(quoted).join(' ');

function shown(argv: readonly string[]): string {
  return argv.map(quoted).join(' ').replace(usual, '…');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`;
}
