import { join } from 'node:path';
import type { Env, Runtime } from '../../../runtime/ports.js';
import type { SandboxState } from '../../../sandbox/index.js';
import { sandboxFolder, sandboxName } from '../../sandbox-session.js';

interface ServedSandbox {
  readonly url: string;
  readonly sandbox: SandboxState;
  /** The merchant the command acts as; the built-in one when left out. */
  readonly options: { readonly login?: string; readonly endpointId?: string };
}

/** Runs a command with everything it needs to reach the sandbox in its environment; returns its exit code. */
export function runCommandWithSandbox(
  command: readonly string[],
  serving: ServedSandbox,
  runtime: Runtime,
  output?: 'err',
): Promise<number> {
  return withConnection(serving, runtime, async (env) => {
    // A profile that the user has exported would win over the connection.
    const child = await runtime.processes.start(command, { ...env, PAYCLI_PROFILE: undefined }, output);
    // Signals go to the command, which ends by itself; the sandbox ends after it.
    const unlisten = runtime.processes.onStop((signal) => child.signal(signal));
    try {
      return await child.exit;
    } finally {
      unlisten();
    }
  });
}

/** Hands over the variables that a client needs to reach the sandbox. The key files they name are there meanwhile. */
export async function withConnection<T>(
  serving: ServedSandbox,
  runtime: Runtime,
  use: (env: Env) => Promise<T>,
): Promise<T> {
  const keys = join(sandboxFolder(runtime), `run-${runtime.processes.pid}`);
  const files = { control: `${keys}.control-key`, private: `${keys}.private-key.pem` };
  try {
    return await use(connectionEnv(serving, files, runtime));
  } finally {
    for (const file of Object.values(files)) runtime.files.remove(file);
  }
}

interface KeyFiles {
  readonly control: string;
  readonly private: string;
}

function connectionEnv({ url, sandbox, options }: ServedSandbox, files: KeyFiles, runtime: Runtime): Env {
  const merchant =
    options.login === undefined ? undefined : sandbox.merchants().find(({ login }) => login === options.login);
  const { login, endpointId, controlKey } =
    merchant === undefined
      ? sandbox.identity()
      : { ...merchant, endpointId: options.endpointId ?? merchant.endpoints[0]?.id ?? '' };
  runtime.files.writeText(files.control, `${controlKey}\n`);
  const env: Env = {
    PAYCLI_SANDBOX: sandboxName(runtime),
    PAYCLI_BASE_URL: url,
    PAYCLI_LOGIN: login,
    PAYCLI_ENDPOINT_ID: endpointId,
    PAYCLI_CONTROL_KEY_FILE: files.control,
  };
  // Of a merchant added by the user, only the public key is known here.
  if (merchant !== undefined) return env;
  runtime.files.writeText(files.private, sandbox.builtinPrivateKey());
  return { ...env, PAYCLI_PRIVATE_KEY_FILE: files.private };
}
