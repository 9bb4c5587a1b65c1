import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLine } from '../../src/cli/program.js';
import { openFiles } from '../../src/runtime/files.js';
import { systemClock } from '../../src/runtime/machine.js';
import { nodeRuntime } from '../../src/runtime/node.js';
import type { Clock, TransportOptions } from '../../src/runtime/ports.js';
import { systemProcesses } from '../../src/runtime/processes.js';
import { openTerminal } from '../../src/runtime/terminal.js';
import { openTransport } from '../../src/runtime/transport.js';
import { rsaPairs } from '../support/rsa-pairs.js';
import { usualProfile } from '../support/usual-profile.js';
import { program } from './program.js';

export type Variables = Readonly<Record<string, string>>;

export interface Ran {
  /** Null when a signal ended it. */
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

/** A program that was started and may still run. */
export interface Running {
  readonly done: Promise<Ran>;
  signal(name: Signal): void;
  /** Nobody reads its standard output any more. */
  closeOutput(): void;
  /** What it has written so far. */
  out(): string;
  err(): string;
}

/** A user of paycli: folders for configuration and state, and nothing of this machine's environment but the path. */
export class Home {
  readonly path = mkdtempSync(join(tmpdir(), 'paycli-e2e-'));
  readonly state = join(this.path, 'state');

  readonly #usual: typeof usualProfile;

  /** Without a profile nothing is chosen where nothing is configured. */
  constructor(config?: string, withoutProfile?: 'without a profile') {
    this.#usual = withoutProfile === undefined ? usualProfile : () => ({});
    if (config === undefined) return;
    mkdirSync(join(this.path, 'config'));
    writeFileSync(join(this.path, 'config/config.yaml'), config);
  }

  get env(): Variables {
    return this.envFor([], {});
  }

  envFor(argv: readonly string[], env: Variables): Variables {
    const given = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.path,
      PAYCLI_CONFIG_DIR: join(this.path, 'config'),
      PAYCLI_STATE_DIR: this.state,
      ...env,
    };
    return { ...this.#usual([join(this.path, 'config'), this.path], argv, given), ...given };
  }

  write(name: string, text: string, mode = 0o600): string {
    const path = join(this.path, name);
    writeFileSync(path, text, { mode });
    return path;
  }

  async start(argv: readonly string[], env: Variables = {}): Promise<Running> {
    return this.#start(process.execPath, [await program(), ...argv], env);
  }

  async run(argv: readonly string[], env: Variables = {}): Promise<Ran> {
    return (await this.start(argv, env)).done;
  }

  /**
   * The same inside this process, with the real clock, network, files and database: for steps that a process of their
   * own would only make slower.
   */
  async call(argv: readonly string[], more: Variables = {}, clock: Clock = systemClock): Promise<Ran> {
    const env = this.envFor(argv, more);
    const written = { 1: '', 2: '' };
    const terminal = openTerminal(env, {
      isTty: () => false,
      write(descriptor, bytes) {
        written[descriptor] += Buffer.from(bytes).toString('utf8');
        return bytes.length;
      },
      columns: () => undefined,
      input: async function* () {},
    });
    const usual = nodeRuntime();
    const runtime = {
      ...usual,
      // Making a key takes longer than most steps.
      random: { ...usual.random, rsaPem: rsaPairs() },
      clock,
      env,
      terminal,
      files: openFiles(env, { home: this.path, working: this.path }),
      processes: { ...systemProcesses, onStop: () => () => undefined },
      transport: async (options: TransportOptions) => openTransport(options, env),
    };
    const exit = await runLine(argv, runtime);
    return { exit, out: written[1], err: written[2] };
  }

  /** A line for bash in which `paycli` stands for the program. */
  async shell(line: string, env: Variables = {}): Promise<Ran> {
    const named = `paycli() { '${process.execPath}' '${await program()}' "$@"; }; set -o pipefail; ${line}`;
    return this.#start('bash', ['-c', named], env).done;
  }

  remove(): void {
    // A shell may still write its caches.
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  #start(file: string, argv: readonly string[], env: Variables): Running {
    const child = spawn(file, argv, {
      cwd: this.path,
      env: this.envFor(argv, env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const written = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      written.out += String(piece);
    });
    child.stderr.setEncoding('utf8').on('data', (piece) => {
      written.err += String(piece);
    });
    return {
      done: new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (exit) => resolve({ exit, ...written }));
      }),
      signal: (name) => void child.kill(name),
      closeOutput: () => void child.stdout.destroy(),
      out: () => written.out,
      err: () => written.err,
    };
  }
}

/** Waits for something that another process does. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  withinMs = 30_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  // A look may be a process or a connection, so the longer it takes the rarer they are.
  for (let pause = 20; ; pause = Math.min(pause * 1.5, 250)) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((done) => setTimeout(done, pause));
  }
}

/**
 * A port of this machine that nothing listens at. Below those that systems give out by themselves, one of which a
 * connection of some other test might have taken by the time it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer()
        .once('error', () => resolve(false))
        .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
