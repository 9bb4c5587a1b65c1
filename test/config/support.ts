import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SecretPorts } from '../../src/config/secrets.js';
import { isPaycliError, type PaycliError } from '../../src/errors/index.js';
import { openFiles } from '../../src/runtime/files.js';
import type { Env } from '../../src/runtime/ports.js';
import { systemProcesses } from '../../src/runtime/processes.js';
import { openTerminal } from '../../src/runtime/terminal.js';
import { fakeKeyring, TestClock } from '../support/runtime.js';

/** A user of their own on the real disk: home, configuration, state and a working folder inside a repository. */
export interface Fixture {
  readonly home: string;
  readonly working: string;
  readonly user: string;
  /** Writes a file below home, mode 0600 unless given; returns its path. */
  write(path: string, text: string | Uint8Array, mode?: number): string;
  /** A terminal nobody sits at, an empty key store, a clock that stands still until somebody sleeps. */
  ports(env?: Env): SecretPorts;
}

export function makeFixture(working = 'repo/deep/er'): Fixture {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'paycli-config-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, working);
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(home, 'repo/.git'), { recursive: true });
  return {
    home,
    working: folder,
    user: join(home, '.config/paycli/config.yaml'),
    write(path, text, mode = 0o600) {
      const full = join(home, path);
      mkdirSync(dirname(full), { recursive: true, mode: 0o700 });
      writeFileSync(full, text);
      chmodSync(full, mode);
      return full;
    },
    ports: (env = {}) => ({
      env,
      files: openFiles(env, { home, working: folder }),
      terminal: openTerminal(env, {
        isTty: () => false,
        write: (_, bytes) => bytes.length,
        columns: () => 80,
        input: async function* () {},
      }),
      processes: systemProcesses,
      keyring: async () => fakeKeyring(),
      clock: new TestClock(),
    }),
  };
}

/** The error something ends with. Everything a person or a log could see of it is in `seen`. */
export async function failure(action: () => unknown): Promise<PaycliError & { readonly seen: string }> {
  try {
    await action();
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    const seen = [error.message, error.next, JSON.stringify(error.facts), String(error.cause)].join('\n');
    return Object.assign(error, { seen });
  }
  throw new Error('nothing failed');
}

export const userFile = '.config/paycli/config.yaml';
export const projectFile = 'repo/.paycli.yaml';

export const shop = `
default-profile: shop-test
profiles:
  shop-test:
    class: test
    base-url: https://sandbox.example/paynet/
    login: shop
    endpoint-id: 4001
    control-key: { file: ~/keys/control }
`;
