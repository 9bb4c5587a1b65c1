import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../e2e/home.js';
import { pathOf } from './programs.js';

// A server refuses to run as root, so it runs as nobody there.
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** A PostgreSQL server of its own on a free port of this machine; everybody who connects is trusted. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #usual: Client | undefined;
  #made = 0;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  /** Tests that call this have the tag `postgres`. */
  static async start(): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'paycli-postgres-'));
    if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
    const server = new PostgresServer(folder, await freePort());
    const options = ['-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '-U', 'postgres'];
    execFileSync(tool('initdb'), [...options, '-D', server.#data], { ...owner, cwd: folder, stdio: 'pipe' });
    await server.start();
    return server;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  async start(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${this.#folder}`];
    const options = [...settings, 'max_connections=60'].flatMap((setting) => ['-c', setting]);
    const child = spawn(tool('postgres'), ['-D', this.#data, '-p', String(this.port), ...options], {
      ...owner,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    // Not to be left behind by a test run that breaks off.
    process.once('exit', () => child.kill('SIGQUIT'));
    let said = '';
    child.stderr.on('data', (piece) => {
      said += String(piece);
    });
    for (;;) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended at once:\n${said}`);
      // On a port that another process took first, its server would answer.
      const [setting] = (await this.query('SHOW data_directory').catch(() => undefined)) ?? [];
      if (setting?.['data_directory'] === this.#data) return;
      await pause(50);
    }
  }

  /** SIGINT ends it after a checkpoint, SIGQUIT as a crash would. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Changes a setting of the whole server, and waits until it is in force. */
  async set(name: string, value: string): Promise<void> {
    await this.query(`ALTER SYSTEM SET ${name} = ${value}`);
    await this.query('SELECT pg_reload_conf()');
    while ((await this.query(`SHOW ${name}`))[0]?.[name] !== value) await pause(20);
  }

  /** A user with a schema of its own, whose tables nobody else sees by their names alone. */
  async newUser(database = 'postgres'): Promise<string> {
    this.#made += 1;
    const user = `user_${this.#made}`;
    await this.query(`CREATE ROLE ${user} LOGIN; CREATE SCHEMA AUTHORIZATION ${user}`, database);
    return user;
  }

  async newDatabase(): Promise<string> {
    this.#made += 1;
    const name = `journal_${this.#made}`;
    await this.query(`CREATE DATABASE ${name}`);
    return name;
  }

  url(user = 'postgres', database = 'postgres', port = this.port): string {
    return `postgres://${user}@127.0.0.1:${port}/${database}`;
  }

  /** That of the owner of everything is kept: to make one costs more than most questions. */
  async query(sql: string, database = 'postgres', user = 'postgres'): Promise<Record<string, unknown>[]> {
    const isUsual = database === 'postgres' && user === 'postgres';
    const client = (isUsual ? this.#usual : undefined) ?? (await this.#connect(database, user));
    if (isUsual) this.#usual = client;
    try {
      return (await client.query(sql)).rows;
    } finally {
      if (!isUsual) await client.end();
    }
  }

  async #connect(database: string, user: string): Promise<Client> {
    const client = new Client({ host: '127.0.0.1', port: this.port, user, database });
    const forget = () => {
      if (this.#usual === client) this.#usual = undefined;
    };
    client.on('error', forget).on('end', forget);
    await client.connect();
    return client;
  }

  /** Runs one of its tools, such as pg_dump, on a database. */
  run(name: string, ...words: readonly string[]): void {
    execFileSync(tool(name), ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres', ...words], {
      cwd: this.#folder,
      stdio: 'pipe',
    });
  }
}

function tool(name: string): string {
  const path = pathOf(name);
  if (path === undefined) throw new Error(`no ${name}: this test lacks the tag postgres`);
  return path;
}
