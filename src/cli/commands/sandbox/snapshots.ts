import { join } from 'node:path';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { secretIn } from '../../../wire/secret-names.js';
import { assertNotListening, openLocalSandbox, sandboxFolder, sandboxName } from '../../core/local-sandbox.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';

function snapshotFolder(runtime: Runtime): string {
  return join(sandboxFolder(runtime), 'snapshots', sandboxName(runtime));
}

function snapshotPath(name: string, runtime: Runtime): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name) || secretIn(name) !== undefined)
    throw fail('USAGE', {
      why: 'the name of a snapshot has 1 to 40 letters, digits, - and _, and is no key and no card number',
      command: 'sandbox snapshot',
    });
  return join(snapshotFolder(runtime), `${name}.db`);
}

/** Copies the state in one piece, also while the sandbox listens. */
export async function saveSnapshot(
  name: string,
  options: CommonOptions & { readonly replace?: boolean },
  runtime: Runtime,
): Promise<number> {
  const path = snapshotPath(name, runtime);
  if (runtime.files.exists(path) && options.replace !== true)
    throw fail('USAGE', {
      why: `there is a snapshot ${name} already; --replace replaces it`,
      command: 'sandbox snapshot save',
    });
  const draft = `${path}.${runtime.processes.pid}.draft`;
  const sandbox = await openLocalSandbox(runtime);
  try {
    // An empty file of the right mode, which SQLite fills.
    runtime.files.writeText(draft, '');
    sandbox.saveSnapshot(draft);
    runtime.files.move(draft, path);
  } finally {
    runtime.files.remove(draft);
    sandbox.close();
  }
  new Reporter(options, undefined, runtime).notes([
    `kept as ${name}; \`paycli sandbox snapshot load ${name}\` goes back to it`,
  ]);
  return 0;
}

/** Puts a kept state in place of the present one, all of it or nothing. Throws PORT_TAKEN while the sandbox listens. */
export async function loadSnapshot(name: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const path = snapshotPath(name, runtime);
  if (!runtime.files.exists(path))
    throw fail('USAGE', {
      why: `there is no snapshot ${name}; known: ${namesOf(runtime).join(', ') || 'none'}`,
      command: 'sandbox snapshot load',
    });
  await assertNotListening(runtime);
  const sandbox = await openLocalSandbox(runtime);
  try {
    sandbox.loadSnapshot(path);
  } finally {
    sandbox.close();
  }
  new Reporter(options, undefined, runtime).notes([`the sandbox is as it was at snapshot ${name}`]);
  return 0;
}

export async function listSnapshots(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const names = namesOf(runtime);
  await report.show({
    document: { schema: 'paycli.snapshots/1', name: sandboxName(runtime), snapshots: names },
    list: 'snapshots',
    text: () => names.map((name) => `${name}\n`).join(''),
    sheet: () => ({ columns: [{ head: 'snapshot' }], rows: names.map((name) => [name]) }),
    empty: 'no snapshots yet; try `paycli sandbox snapshot save NAME`',
  });
  return 0;
}

function namesOf(runtime: Runtime): string[] {
  return runtime.files
    .list(snapshotFolder(runtime))
    .filter((file) => file.endsWith('.db'))
    .map((file) => file.slice(0, -'.db'.length));
}
