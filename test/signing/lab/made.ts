import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pair } from '../diagnose/signer.js';
import { controlRequests, oauthOrders, plainControl, plainRequest } from './requests.js';

/** A value that a client made wrongly, or a base string that it would have signed. */
export interface Made {
  /** Which of the requests. */
  readonly request: number;
  /** Where in the making: encoder, order, source, address, text, key, digest, writing. */
  readonly channels: readonly string[];
  /** For each fault the names that are right, with | between them; `any` for any that is proven. */
  readonly expected: readonly string[];
  readonly what: readonly string[];
  readonly value: string;
  /** Where the fault is in the base string. */
  readonly base?: string;
}

export interface MadeByScheme {
  readonly oauth: readonly Made[];
  readonly control: readonly Made[];
}

interface Program {
  /** A file, or a folder that is copied to be compiled. */
  readonly path: string;
  readonly compile?: readonly string[];
  readonly run: readonly [string, ...string[]];
  /** Lines of words in Base64, for languages that read no JSON by themselves. */
  readonly input: 'json' | 'lines';
}

const programs = {
  php: { path: 'client.php', run: ['php', 'client.php'], input: 'json' },
  python3: { path: 'client.py', run: ['python3', 'client.py'], input: 'json' },
  node: { path: 'client.mjs', run: ['node', 'client.mjs'], input: 'json' },
  ruby: { path: 'ruby', run: ['ruby', 'faults.rb'], input: 'json' },
  go: { path: 'go', compile: ['go', 'build', '-o', 'client', '.'], run: ['./client'], input: 'json' },
  java: {
    path: 'java',
    compile: ['javac', '-nowarn', 'Client.java', 'Faults.java'],
    run: ['java', 'Faults'],
    input: 'lines',
  },
  csharp: {
    path: 'csharp',
    compile: ['mcs', '-r:System.Web.dll', '-out:client.exe', 'Client.cs', 'Faults.cs'],
    run: ['mono', 'client.exe'],
    input: 'lines',
  },
} as const satisfies Readonly<Record<string, Program>>;
export type ProgramName = keyof typeof programs;

/** Runs a client over all requests: one process for all its faults. Those that are compiled need a folder to work in. */
export function madeBy(name: ProgramName, scratch?: string): MadeByScheme {
  const program: Program = programs[name];
  const source = fileURLToPath(new URL('.', import.meta.url));
  let folder = source;
  if (program.path === name || program.compile !== undefined) {
    if (scratch === undefined) throw new Error(`${name}: no folder to work in`);
    folder = join(scratch, name);
    cpSync(join(source, program.path), folder, { recursive: true });
  }
  if (program.compile !== undefined) run(program.compile, folder, '');
  return JSON.parse(run(program.run, folder, program.input === 'json' ? asJson() : asLines()));
}

function run([program = '', ...words]: readonly string[], cwd: string, input: string): string {
  const env = { ...process.env, GO111MODULE: 'off', MONO_DISABLE_SHARED_AREA: '1' };
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd,
    env,
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 29,
  });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  return stdout;
}

function asJson(): string {
  return JSON.stringify({ oauth: oauthOrders.map(plainRequest), control: controlRequests.map(plainControl) });
}

/** A line of one word begins a request, one of two is a text of it, one of three a pair of one of its lists. */
function asLines(): string {
  const line = (...words: readonly string[]) => words.map((word) => Buffer.from(word).toString('base64')).join(' ');
  const of = (kind: string, plain: Readonly<Record<string, unknown>>) => [
    line(kind),
    ...Object.entries(plain).flatMap(([name, value]) => {
      if (typeof value === 'string') return [line(name, value)];
      const pairs: readonly Pair[] = Array.isArray(value) ? value : Object.entries(value ?? {});
      return pairs.map(([one, other]) => line(name, one, other));
    }),
  ];
  const all = [
    ...oauthOrders.flatMap((order) => of('oauth', plainRequest(order))),
    ...controlRequests.flatMap((request) => of('control', plainControl(request))),
  ];
  return all.map((each) => `${each}\n`).join('');
}
