import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFiles } from '../../src/runtime/files.js';
import { systemProcesses } from '../../src/runtime/processes.js';
import { temporaryName } from '../../src/runtime/temporary-files.js';
import { temporaryHome } from '../support/runtime.js';

const isLinux = process.platform === 'linux';

function stateFolder(): { readonly folder: string; readonly files: ReturnType<typeof openFiles> } {
  const home = temporaryHome();
  const folder = join(home, 'state');
  mkdirSync(folder, { mode: 0o700 });
  return { folder, files: openFiles({ PAYCLI_STATE_DIR: folder }, { home, working: home }) };
}

const old = new Date(Date.now() - 2 * 86_400_000);
function leave(folder: string, name: string, isOld = false): string {
  writeFileSync(join(folder, name), '');
  if (isOld) utimesSync(join(folder, name), old, old);
  return name;
}

/** The draft of another process on this machine. */
const draftOf = (pid: number, started: string | undefined) =>
  temporaryName('note.json').replace(
    `-${systemProcesses.pid}-${systemProcesses.identity.started}.`,
    `-${pid}-${started}.`,
  );

test.runIf(isLinux)(
  'what a killed process left is removed by the next one that writes there; what others write stays',
  async () => {
    const { folder, files } = stateFolder();
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const draft = leave(folder, draftOf(pid, systemProcesses.startOf(pid)));
    const elsewhere = leave(folder, draft.replace(/note\.json\.[0-9a-f]+/, 'note.json.00000000'));
    const own = files.stage(join(folder, 'report.csv'));
    own.write('half');
    files.writeText(join(folder, 'note.json'), '1');
    expect(readdirSync(folder), 'a running process').toContain(draft);
    child.kill('SIGKILL');
    await once(child, 'exit');
    openFiles({ PAYCLI_STATE_DIR: folder }, { home: folder, working: folder }).writeText(
      join(folder, 'note.json'),
      '2',
    );
    expect(readdirSync(folder)).not.toContain(draft);
    expect(readdirSync(folder), 'of another machine').toContain(elsewhere);
    own.keep();
    expect(readdirSync(folder).sort()).toEqual([elsewhere, 'note.json', 'report.csv'].sort());
  },
);

test.runIf(isLinux)('a process number that belongs to another one by now does not keep a draft', async () => {
  const { folder, files } = stateFolder();
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  leave(folder, draftOf(child.pid ?? 0, '1'));
  files.writeText(join(folder, 'note.json'), '1');
  expect(readdirSync(folder)).toEqual(['note.json']);
});

test('one of another machine goes after a day; files that are no drafts stay', () => {
  const { folder, files } = stateFolder();
  const elsewhere = (name: string) => temporaryName(name).replace(/[0-9a-f]+-\d+-/, '01234567-7-');
  const kept = [leave(folder, elsewhere('young')), leave(folder, '.hidden', true)];
  leave(folder, elsewhere('old'), true);
  files.writeText(join(folder, 'note.json'), '1');
  expect(readdirSync(folder).sort()).toEqual([...kept, 'note.json'].sort());
});

test('folders of the user are not swept', () => {
  const { folder, files } = stateFolder();
  const elsewhere = join(folder, '..', 'reports');
  mkdirSync(elsewhere);
  const kept = leave(elsewhere, temporaryName('report.csv'), true);
  files.writeText(join(elsewhere, 'report.csv'), '1');
  expect(readdirSync(elsewhere).sort()).toEqual([kept, 'report.csv'].sort());
});
