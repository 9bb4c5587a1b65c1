import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually, freePort } from '../e2e/home.js';
import { pathOf } from '../support/programs.js';

// A server refuses to run as root, so it runs as nobody there.
const nobody = { uid: 65_534, gid: 65_534 };
const owner = process.getuid?.() === 0 ? nobody : undefined;

/** A PostgreSQL server of its own on a free port of this machine; everybody who connects is trusted. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #made = 0;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  /** Tests that call this have the tag `postgres`. */
  static async start(): Promise<PostgresServer> {
    for (;;) {
      const folder = mkdtempSync(join(tmpdir(), 'paycli-postgres-'));
      if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
      const server = new PostgresServer(folder, await freePort());
      copyFolder(newCluster(), server.#data);
      try {
        await server.start();
        return server;
      } catch (error) {
        await server.remove();
        // Another process took the port after it was found free.
        if (!String(error).includes('Address already in use')) throw error;
      }
    }
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  async start(): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${this.#folder}`,
      'max_connections=60',
      // It comes to each database so often, and a server of tests has many of them that nobody uses any more.
      'autovacuum_naptime=10min',
    ];
    const options = settings.flatMap((setting) => ['-c', setting]);
    const child = spawn(tool('postgres'), ['-D', this.#data, '-p', String(this.port), ...options], {
      ...owner,
      cwd: this.#folder,
    });
    this.#child = child;
    // Not to be left behind by a test run that breaks off.
    process.once('exit', () => child.kill('SIGQUIT'));
    let said = '';
    child.stderr.on('data', (piece) => {
      said += String(piece);
    });
    await eventually('PostgreSQL answers', async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended at once:\n${said}`);
      // On a port that another process took first, its server would answer.
      const [setting] = (await this.query('SHOW data_directory').catch(() => undefined)) ?? [];
      return setting?.['data_directory'] === this.#data ? true : undefined;
    });
  }

  /** SIGINT ends it after a checkpoint, SIGQUIT as a crash would, SIGKILL as the loss of its memory. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
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

  /** Keeps a copy of a stopped server, as a standby that fell behind would have it. */
  keepCopy(): void {
    copyFolder(this.#data, join(this.#folder, 'copy'));
  }

  /** The copy takes the place of the stopped server: promoted, after so long, so on a timeline of its own. */
  async failOver(afterMs = 0): Promise<void> {
    rmSync(this.#data, { recursive: true });
    copyFolder(join(this.#folder, 'copy'), this.#data);
    writeFileSync(join(this.#data, 'standby.signal'), '');
    this.#give(this.#data);
    await this.start();
    await pause(afterMs);
    await this.query('SELECT pg_promote()');
  }

  /** Speaks TLS from now on, with a certificate of its own making for these names; gives that certificate. */
  async useTls(names: string): Promise<string> {
    const [key, cert] = [join(this.#data, 'server.key'), join(this.#data, 'server.crt')];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=test',
    ];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert, '-addext', `subjectAltName=${names}`], {
      ...owner,
      stdio: 'pipe',
    });
    await this.set('ssl', 'on');
    return readFileSync(cert, 'utf8');
  }

  /** A user who needs this password. */
  async addUser(name: string, password: string): Promise<void> {
    await this.query(`CREATE ROLE ${name} LOGIN SUPERUSER PASSWORD '${password}'`);
    const rules = join(this.#data, 'pg_hba.conf');
    writeFileSync(rules, `host all ${name} 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`);
    await this.query('SELECT pg_reload_conf()');
  }

  /** Changes a setting of the whole server, and waits until it is in force. */
  async set(name: string, value: string): Promise<void> {
    await this.query(`ALTER SYSTEM SET ${name} = ${value}`);
    await this.query('SELECT pg_reload_conf()');
    await eventually(`${name} is ${value}`, async () =>
      (await this.query(`SHOW ${name}`))[0]?.[name] === value ? true : undefined,
    );
  }

  /** An empty one, or with all that another one holds, to which nobody is connected. */
  async newDatabase(template = 'template1'): Promise<string> {
    this.#made += 1;
    const name = `batch_${this.#made}`;
    // Through the log, as from version 15 on, each page of it is written twice.
    const strategy = Number(readFileSync(join(this.#data, 'PG_VERSION'), 'utf8')) >= 15 ? 'STRATEGY FILE_COPY' : '';
    await this.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`);
    return name;
  }

  url(database: string, user = 'postgres'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** One statement on a connection of its own. */
  async query(sql: string, database = 'postgres', values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new Client({ host: '127.0.0.1', port: this.port, user: 'postgres', database });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  #give(path: string): void {
    if (owner === undefined) return;
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
    for (const name of ['', ...names]) chownSync(join(path, name), owner.uid, owner.gid);
  }
}

let cluster: string | undefined;

/** What initdb makes, the same for all servers of this process: making it costs more than starting a server. */
function newCluster(): string {
  if (cluster !== undefined) return cluster;
  const folder = mkdtempSync(join(tmpdir(), 'paycli-cluster-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const options = ['-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '-U', 'postgres'];
  cluster = join(folder, 'data');
  execFileSync(tool('initdb'), [...options, '-D', cluster], { ...owner, cwd: folder, stdio: 'pipe' });
  return cluster;
}

export function tool(name: string): string {
  const path = pathOf(name);
  if (path === undefined) throw new Error(`no ${name}: this test lacks the tag postgres`);
  return path;
}

/** With owners and permissions, which cpSync of newer lines of Node does not keep. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}
