import { join } from 'node:path';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { secretIn } from '../../../wire/secret-names.js';
import { defineCommand } from '../../core/define-command.js';
import { assertNotListening, openLocalSandbox, sandboxFolder, sandboxName } from '../../core/local-sandbox.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';

function snapshotFolder(runtime: Runtime): string {
  return join(sandboxFolder(runtime), 'snapshots', sandboxName(runtime));
}

function snapshotPath(name: string, runtime: Runtime): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name) || secretIn(name) !== undefined)
    throw fail('snapshotNameInvalid', { command: 'sandbox snapshot' });
  return join(snapshotFolder(runtime), `${name}.db`);
}

interface SaveOptions extends CommonOptions {
  readonly replace?: boolean;
}

export const sandboxSnapshotSave = defineCommand<SaveOptions>({
  name: 'sandbox snapshot save',
  summary: 'Save the current state',
  args: [['<snapshot>', 'a name for it']],
  options: [['--replace', 'replace an existing snapshot of that name']],
  effect: 'none',
  network: false,
  exits: [],
  prints: [],
  run: ({ args: [name = ''], options, runtime }) => saveSnapshot(name, options, runtime),
});

/** Copies the state atomically, even while the sandbox listens. */
async function saveSnapshot(name: string, options: SaveOptions, runtime: Runtime): Promise<number> {
  const path = snapshotPath(name, runtime);
  if (runtime.files.exists(path) && options.replace !== true)
    throw fail('snapshotIsThere', { snapshot: name, command: 'sandbox snapshot save' });
  const draft = `${path}.${runtime.processes.pid}.draft`;
  const sandbox = await openLocalSandbox(runtime);
  try {
    // An empty file with the right mode, which SQLite fills.
    runtime.files.writeText(draft, '');
    sandbox.saveSnapshot(draft);
    runtime.files.move(draft, path);
  } finally {
    runtime.files.remove(draft);
    sandbox.close();
  }
  new Reporter(options, undefined, runtime).notes([
    `saved as ${name}; \`paycli sandbox snapshot load ${name}\` restores it`,
  ]);
  return 0;
}

export const sandboxSnapshotLoad = defineCommand({
  name: 'sandbox snapshot load',
  summary: 'Restore a saved state',
  args: [['<snapshot>', 'its name']],
  effect: 'none',
  network: false,
  exits: [],
  prints: [],
  run: ({ args: [name = ''], options, runtime }) => loadSnapshot(name, options, runtime),
});

/** Replaces the state with a snapshot, entirely or not at all. Throws PORT_TAKEN while the sandbox listens. */
async function loadSnapshot(name: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const path = snapshotPath(name, runtime);
  if (!runtime.files.exists(path))
    throw fail('noSuchSnapshot', {
      snapshot: name,
      known: namesOf(runtime).join(', ') || 'none',
      command: 'sandbox snapshot load',
    });
  await assertNotListening(runtime);
  const sandbox = await openLocalSandbox(runtime);
  try {
    sandbox.loadSnapshot(path);
  } finally {
    sandbox.close();
  }
  new Reporter(options, undefined, runtime).notes([`the sandbox was restored to snapshot ${name}`]);
  return 0;
}

export const sandboxSnapshotList = defineCommand({
  name: 'sandbox snapshot list',
  summary: 'List the saved states',
  effect: 'none',
  network: false,
  exits: [],
  prints: ['snapshots'],
  run: ({ options, runtime }) => listSnapshots(options, runtime),
});

async function listSnapshots(options: CommonOptions, runtime: Runtime): Promise<number> {
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
