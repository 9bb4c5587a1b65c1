import type { Runtime } from '../../../runtime/ports.js';
import type { Sandbox } from '../../../sandbox/index.js';
import type { RejectedRequest } from '../../../sandbox/request-log.js';
import { type Assume, assumeDefaults } from '../../../spec/index.js';
import { type LocalSandbox, removeListening, sandboxName, writeListening } from '../../sandbox-session.js';
import { readSettings } from '../profile/settings.js';

/** Under which terms a sandbox is served over HTTP. */
export interface ServeSettings {
  readonly port: number;
  readonly settleMs: number;
  readonly assume: Assume;
  readonly anyCard: boolean;
  /** Takes what programs of this family send against the description, and reports it. */
  readonly isCompatible?: boolean;
  /** Stands before the sandbox, to see what it is asked and what it answers. */
  readonly around?: (sandbox: Sandbox) => Sandbox;
  /** Called for requests that the server refuses before any operation sees them. */
  readonly onRejected?: (one: RejectedRequest) => void;
}

/** A sandbox while it listens. */
interface Serving {
  readonly url: string;
  /** Once this process is asked to stop: by which signal. */
  readonly stopped: Promise<string>;
}

/** Serves an open sandbox over HTTP, known to other commands of this user, for as long as `use` takes. */
export async function serveSandbox<T>(
  sandbox: LocalSandbox,
  settings: ServeSettings,
  runtime: Runtime,
  use: (serving: Serving) => Promise<T>,
): Promise<T> {
  const server = await openServer(sandbox, settings, runtime);
  const url = `http://127.0.0.1:${server.port}/gateway`;
  const note = { pid: runtime.processes.pid, url, name: sandboxName(runtime) };
  // Before anybody can know that it listens: who knows may stop it.
  const stopped = new Promise<string>((resolve) => runtime.processes.onStop(resolve));
  writeListening(note, runtime);
  try {
    return await use({ url, stopped });
  } finally {
    removeListening(runtime);
    await server.close();
  }
}

async function openServer(
  sandbox: LocalSandbox,
  { port, around = (plain) => plain, onRejected, ...settings }: ServeSettings,
  runtime: Runtime,
) {
  const { createSandbox } = await import('../../../sandbox/index.js');
  const [{ listen }, { openDeliverer }, { judgeSignature }] = await Promise.all([
    import('../../../sandbox/http.js'),
    import('../../../sandbox/callbacks/delivery.js'),
    import('../../../sandbox/audit/examine.js'),
  ]);
  const about = { pid: runtime.processes.pid, name: sandboxName(runtime) };
  const deliverer = openDeliverer(sandbox.store, { form: settings.assume['callback-form'] });
  const server = await listen(
    (pagesBase) => around(createSandbox(sandbox, { ...settings, judgeSignature, pagesBase })),
    { port, about, beforeReply: deliverer.beforeReply, onRejected },
  );
  deliverer.start();
  return { port: server.port, close: () => server.close().then(() => deliverer.stop()) };
}

/** The assumptions of a sandbox, as `--assume` sets them. Throws FIELD_INVALID. */
export function readAssume(assume: readonly string[] | undefined): Assume {
  const set = readSettings({ texts: {}, assume }, {}, { folder: '/', home: '/' });
  const values = set.flatMap(({ path: [, name], value }) => (value === undefined ? [] : [[name, value] as const]));
  return { ...assumeDefaults, ...Object.fromEntries(values) };
}
