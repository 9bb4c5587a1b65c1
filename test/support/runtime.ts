import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { runLine } from '../../src/cli/program.js';
import { resultNamed } from '../../src/cli/results.js';
import { fail } from '../../src/errors/index.js';
import { openFiles } from '../../src/runtime/files.js';
import type {
  Clock,
  DatabaseOpener,
  Delivery,
  Files,
  HttpRequest,
  Keyring,
  Question,
  Random,
  Runtime,
} from '../../src/runtime/ports.js';
import { capture } from '../../src/runtime/processes.js';
import { openTerminal } from '../../src/runtime/terminal.js';
import { rsaPairs } from './rsa-pairs.js';
import { usualProfile } from './usual-profile.js';

export interface TestOptions {
  readonly tty?: boolean;
  /** Of standard error; without them its lines stay whole. */
  readonly errColumns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Without it, the sandbox is chosen where nothing is configured. */
  readonly withoutProfile?: true;
  /** Whom the system says this is. */
  readonly person?: Runtime['processes']['user'];
  /** Answers to prompts, by the question's name, in the order they are asked. */
  readonly answers?: readonly (readonly [name: string, answer: string])[];
  /** Replies of the network, in order. Without any, a request that reaches the network fails the test. */
  readonly network?: readonly ((request: HttpRequest) => Delivery)[];
  readonly stdin?: string | Uint8Array;
  /** Comes as soon as the command listens for signals. */
  readonly signal?: 'SIGINT' | 'SIGTERM';
  /** The key store of the system. Without one, a question to it fails the test. */
  readonly keyring?: Keyring;
  /** Files whose disk is full when they are written. */
  readonly failing?: (path: string) => boolean;
  /** Lets a credential helper run; the clock of the test does not wait for it unless this is the real one. */
  readonly helpers?: Clock;
  /** Another outside sandboxState than the usual one of tests. */
  readonly outside?: (usual: Runtime) => Runtime;
  /** A home to share between several runs; a fresh one when left out. */
  readonly home?: string;
}

export interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  readonly requests: readonly HttpRequest[];
  readonly questions: readonly Question[];
}

function withFullDisk(files: Files, failing: TestOptions['failing']): Files {
  if (failing === undefined) return files;
  const writeText: Files['writeText'] = (path, text, mode) => {
    if (failing(path)) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    files.writeText(path, text, mode);
  };
  return { ...files, writeText };
}

/** Of an answer: back to the question before. */
export const arrowUp = '\u001b[A';

/** Of an answer: the user gives up. */
export const ctrlC = '\u0003';

/** A key store in memory. One that hangs answers nothing until it is given up on. */
export function fakeKeyring(
  entries: Map<string, string> = new Map(),
  behaves: 'well' | 'hangs' | 'refuses' = 'well',
): Keyring {
  return async (_, action, account, secret = '') => {
    if (behaves === 'hangs') return new Promise(() => undefined);
    if (behaves === 'refuses') throw new Error('the store is locked\u001b[2J');
    if (action === 'read') return entries.get(account);
    if (action === 'write') entries.set(account, secret);
    else entries.delete(account);
    return undefined;
  };
}

/** A folder that is gone after the test. */
export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'paycli-test-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const rsaPem = (half: string) =>
  readFileSync(new URL(`../vectors/keys/test-rsa-2048.${half}.pem`, import.meta.url), 'utf8');
let sandboxPair: readonly [publicKey: string, privateKey: string] | undefined;

/**
 * Gives a sandbox its RSA pair at the first question about it: making a new one takes longer than the rest of a test.
 */
function withSandboxPair(opener: DatabaseOpener): DatabaseOpener {
  return {
    ...opener,
    open(path) {
      const database = opener.open(path);
      return {
        ...database,
        get(sql, ...values) {
          if (sql.startsWith('SELECT private_key FROM merchants')) {
            sandboxPair ??= [rsaPem('public'), rsaPem('pkcs8')];
            database.run(
              "UPDATE merchants SET public_key = ?, private_key = ? WHERE login = 'sandbox' AND private_key IS NULL",
              ...sandboxPair,
            );
          }
          return database.get(sql, ...values);
        },
      };
    },
  };
}

/** Time that passes only when somebody sleeps. Monday, 2030-01-07 12:00:00 UTC at first. */
export class TestClock implements Clock {
  #now = Date.UTC(2030, 0, 7, 12);
  now(): number {
    return this.#now;
  }
  monotonic(): number {
    return this.#now;
  }
  /** A moment of real time, so that what sleeps again and again leaves others their turn. */
  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    await new Promise((resolve) => setImmediate(resolve));
  }
  copy(): TestClock {
    const other = new TestClock();
    other.#now = this.#now;
    return other;
  }
}

/** The same letters and ids in every run, each different from the one before. */
export class CountingRandom implements Random {
  #count = 0;
  readonly rsaPem = rsaPairs();
  letters(length: number): string {
    this.#count += 1;
    return `${this.#count}`.padStart(length, 'a');
  }
  uuid(): string {
    this.#count += 1;
    return `00000000-0000-4000-8000-${String(this.#count).padStart(12, '0')}`;
  }
  below(bound: number): number {
    this.#count += 1;
    return this.#count % bound;
  }
  copy(): CountingRandom {
    const other = new CountingRandom();
    other.#count = this.#count;
    return other;
  }
}

// Shared by the runs of one home, so that time never jumps back between two commands.
const clocks = new Map<string, TestClock>();
const randoms = new Map<string, CountingRandom>();

function sharedBy<T>(home: string, all: Map<string, T>, make: () => T): T {
  const found = all.get(home) ?? make();
  all.set(home, found);
  return found;
}

const copied: string[] = [];
process.once('exit', () => {
  for (const folder of copied) rmSync(folder, { recursive: true, force: true });
});

/**
 * For tests of which each needs a home in which the same has happened: it is made once and copied for each, as a sale
 * costs ten times what a copy does. Time and ids go on in a copy. Nothing in it may name the folder it was made in, as
 * `homeWithProfile` does.
 */
export function copiesOf(make: () => Promise<string>): () => Promise<string> {
  let first:
    | Promise<{ readonly folder: string; readonly clock: TestClock; readonly random: CountingRandom }>
    | undefined;
  const keep = async () => {
    const made = await make();
    const folder = mkdtempSync(join(tmpdir(), 'paycli-copied-'));
    copied.push(folder);
    copyFolder(made, folder);
    return {
      folder,
      clock: sharedBy(made, clocks, () => new TestClock()).copy(),
      random: sharedBy(made, randoms, () => new CountingRandom()).copy(),
    };
  };
  return async () => {
    first ??= keep();
    const { folder, clock, random } = await first;
    const home = temporaryHome();
    copyFolder(folder, home);
    clocks.set(home, clock.copy());
    randoms.set(home, random.copy());
    return home;
  };
}

/** With permissions, which cpSync of newer lines of Node does not keep. */
function copyFolder(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (!entry.isDirectory()) copyFileSync(source, target);
    else {
      mkdirSync(target, { mode: statSync(source).mode });
      copyFolder(source, target);
    }
  }
}

/**
 * Runs one command line inside this process. A question or a request nobody planned fails the test, and so does a
 * planned one that did not come. A command line in one string is split at its blanks.
 */
export async function paycli(line: string | readonly string[], options: TestOptions = {}): Promise<Ran> {
  const argv = typeof line === 'string' ? line.split(' ') : line;
  const home = options.home ?? temporaryHome();
  const written = { 1: '', 2: '' };
  const requests: HttpRequest[] = [];
  const questions: Question[] = [];
  const answers = [...(options.answers ?? [])];
  const network = [...(options.network ?? [])];
  const given = { PAYCLI_CONFIG_DIR: join(home, 'config'), PAYCLI_STATE_DIR: join(home, 'state'), ...options.env };
  const usual = usualProfile([given.PAYCLI_CONFIG_DIR, home], argv, given);
  const env = options.withoutProfile === true ? given : { ...usual, ...given };
  const runtime: Runtime = {
    env,
    terminal: openTerminal(env, {
      isTty: () => options.tty === true,
      write: (descriptor, bytes) => {
        written[descriptor] += Buffer.from(bytes).toString('utf8');
        return bytes.length;
      },
      columns: (descriptor) => (descriptor === 1 ? 100 : options.errColumns),
      input: async function* () {
        const { stdin = '' } = options;
        yield typeof stdin === 'string' ? Buffer.from(stdin) : stdin;
      },
    }),
    clock: options.helpers ?? sharedBy(home, clocks, () => new TestClock()),
    random: sharedBy(home, randoms, () => new CountingRandom()),
    files: withFullDisk(openFiles(env, { home, working: home }), options.failing),
    processes: {
      pid: 4242,
      host: 'test',
      user: options.person ?? { name: 'unknown', id: '1000' },
      nodeVersion: '20.19.0',
      platform: 'linux x64',
      place: undefined,
      isAlive: () => false,
      end: (pid) => expect.unreachable(`process ${pid} would be ended`),
      start: (command) => expect.unreachable(`${command.join(' ')} would be started`),
      capture: (command, how) =>
        options.helpers === undefined ? expect.unreachable(`${command.join(' ')} would be run`) : capture(command, how),
      browse: async () => false,
      every: () => () => undefined,
      onStop: (callback) => {
        if (options.signal !== undefined) callback(options.signal);
        return () => undefined;
      },
    },
    prompter: async () => ({
      ask: async (question) => {
        questions.push(question);
        const [name, answer] = answers.shift() ?? [];
        if (name === undefined || answer === undefined || name !== question.name)
          throw new Error(`unplanned question ${question.name}`);
        if (answer === ctrlC) throw fail('INTERRUPTED');
        if (answer === arrowUp && question.goBack !== undefined) {
          question.goBack();
          return '';
        }
        expect(question.check?.(answer)).toBeUndefined();
        return answer;
      },
    }),
    transport: async () => ({
      post: async (request) => {
        const { isLate: _, ...sent } = request;
        requests.push(sent);
        const reply = network.shift();
        if (reply === undefined) throw new Error(`unplanned request to ${request.url}`);
        return reply(request);
      },
      close: async () => undefined,
    }),
    database: async () => withSandboxPair((await import('../../src/runtime/database.js')).sqlite),
    keyring: async () => options.keyring ?? expect.unreachable('the key store would be asked'),
  };
  const exit = await runLine(argv, options.outside?.(runtime) ?? runtime);
  expect(answers, 'planned answers nobody asked for').toEqual([]);
  expect(network, 'planned replies nobody asked for').toEqual([]);
  expectKnownFields(written[1]);
  if (options.tty !== true && argv[0]?.startsWith('__') !== true) expectOneError(exit, written[2], argv, env);
  return { exit, out: written[1], err: written[2], requests, questions };
}

const machineFlag = /^(?:--(?:nd)?json(?:=.*)?|(?:--output=|-o)(?:json|ndjson|yaml))$/;

/** A run without a terminal that ends with another code than 0 says why on standard error: programs get one object. */
function expectOneError(exit: number, err: string, argv: readonly string[], env: Runtime['env']): void {
  const lines = err.split('\n');
  const objects = jsonIn(err).filter(({ schema, ok }) => schema === 'paycli.error/1' && ok !== true);
  const words = lines.filter((line) => stripVTControlCharacters(line).startsWith('error:'));
  if (exit === 0) {
    expect(objects, `errors of a run that ended well: ${err}`).toEqual([]);
    return;
  }
  const flags = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  const form = flags.findLast((arg, at) => machineFlag.test(arg) || /^(?:-o|--output)$/.test(flags[at - 1] ?? ''));
  const isForPrograms = machineFlag.test(`-o${form ?? env['PAYCLI_OUTPUT']}`) || machineFlag.test(form ?? '');
  if (!isForPrograms && objects.length === 0) {
    expect(words.length, `exit ${exit} of ${argv.join(' ')} without a word: ${err}`).toBeGreaterThan(0);
    return;
  }
  expect([objects.length, words.length], `error objects of ${argv.join(' ')}: ${err}`).toEqual([1, 0]);
  expect(objects[0]).toMatchObject({ code: expect.stringMatching(/./), message: expect.stringMatching(/./), exit });
  expect(Object.keys(objects[0] ?? {})).toEqual(expect.arrayContaining(['next', 'http']));
}

/** Whatever a test prints as JSON has no part that --fields would refuse. */
function expectKnownFields(out: string): void {
  if (!out.startsWith('{')) return;
  for (const document of jsonIn(out)) {
    const schema = /^paycli\.(.+)\/1$/.exec(String(document['schema']))?.[1];
    if (schema === undefined || ['event', 'commands'].includes(schema)) continue;
    const {
      fields,
      list,
      entry = [],
    } = resultNamed(schema) ?? expect.unreachable(`src/cli/results.ts does not know the schema ${schema}`);
    const listed = document[list ?? ''];
    const entries = Array.isArray(listed) ? listed.filter((each) => typeof each === 'object') : [];
    const names = [document, ...entries].flatMap((each) => Object.keys(each));
    const known = [...fields, ...entry, list];
    expect(
      [...new Set(names)].filter((name) => !known.includes(name)),
      `fields of ${schema}`,
    ).toEqual([]);
  }
}

function jsonIn(out: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    return [JSON.parse(out)];
  } catch {
    const lines = out.split('\n').filter((line) => line.startsWith('{'));
    return lines.flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  }
}

/** A JSON reply of a gateway. */
export function reply(status: number, fields: Readonly<Record<string, string>>): Delivery {
  return {
    kind: 'reply',
    reply: {
      status,
      headers: { 'content-type': 'application/vnd.pay+json' },
      body: Buffer.from(JSON.stringify(fields)),
    },
  };
}

/** A user who presses Ctrl-C at this question. */
export function interruptedAt(name: string): NonNullable<TestOptions['outside']> {
  return (usual) => ({
    ...usual,
    prompter: async (colour) => {
      const prompter = await usual.prompter(colour);
      return {
        ask: async (question) => {
          if (question.name !== name) return prompter.ask(question);
          // Kept among the questions by the test's prompter, which has no answer for it.
          await prompter.ask(question).catch(() => undefined);
          throw fail('INTERRUPTED');
        },
      };
    },
  });
}
