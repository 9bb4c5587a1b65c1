import { join } from 'node:path';
import type { Env, Runtime } from '../../../runtime/ports.js';
import type { SandboxState } from '../../../sandbox/index.js';
import { sandboxFolder, sandboxName } from '../../sandbox-session.js';

interface ServedSandbox {
  readonly url: string;
  readonly sandbox: SandboxState;
}

/** Runs a command with everything it needs to reach the sandbox in its environment; returns its exit code. */
export async function runCommandWithSandbox(
  command: readonly string[],
  serving: ServedSandbox,
  runtime: Runtime,
  output?: 'err',
): Promise<number> {
  const keys = join(sandboxFolder(runtime), `run-${runtime.processes.pid}`);
  const [control, key] = [`${keys}.control-key`, `${keys}.private-key.pem`];
  let unlisten = () => {};
  try {
    const env = connectionEnv(serving, control, key, runtime);
    // A profile that the user has exported would win over the connection.
    const child = await runtime.processes.start(command, { ...env, PAYCLI_PROFILE: undefined }, output);
    // Signals go to the command, which ends by itself; the sandbox ends after it.
    unlisten = runtime.processes.onStop((signal) => child.signal(signal));
    return await child.exit;
  } finally {
    unlisten();
    for (const file of [control, key]) runtime.files.remove(file);
  }
}

/** The variables that a client needs to reach the sandbox as its built-in merchant, whose keys are in these files. */
function connectionEnv({ url, sandbox }: ServedSandbox, control: string, key: string, runtime: Runtime): Env {
  const { login, endpointId, controlKey } = sandbox.identity();
  runtime.files.writeText(control, `${controlKey}\n`);
  runtime.files.writeText(key, sandbox.builtinPrivateKey());
  return {
    PAYCLI_SANDBOX: sandboxName(runtime),
    PAYCLI_BASE_URL: url,
    PAYCLI_LOGIN: login,
    PAYCLI_ENDPOINT_ID: endpointId,
    PAYCLI_CONTROL_KEY_FILE: control,
    PAYCLI_PRIVATE_KEY_FILE: key,
  };
}
