import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFiles } from '../../src/runtime/files.js';
import { temporaryHome } from '../support/runtime.js';

const old = new Date(Date.now() - 2 * 86_400_000);

/** A folder with a draft that is being written, and whether one that was left two days ago is gone after the next write. */
function isSwept(folder: string, state: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const open = () => openFiles({ PAYCLI_STATE_DIR: state }, { home: state, working: state });
  const staged = open().stage(join(folder, 'report.csv'));
  staged.write('half');
  const [draft = ''] = readdirSync(folder);
  const abandoned = draft.replace(/.{8}$/, '0a1b2c3d');
  for (const name of [abandoned, '.hidden']) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), old, old);
  }
  open().writeText(join(folder, 'note.json'), '1');
  const isGone = !readdirSync(folder).includes(abandoned);
  staged.keep();
  const kept = ['.hidden', 'note.json', 'report.csv'];
  expect(readdirSync(folder).sort()).toEqual((isGone ? kept : [abandoned, ...kept]).sort());
  return isGone;
}

test('what a killed process left is removed a day later by the next that writes there; what others write stays', () => {
  const state = join(temporaryHome(), 'state');
  expect(isSwept(state, state)).toBe(true);
  expect(isSwept(join(state, 'below'), state)).toBe(true);
});

test('folders of the user are not swept', () => {
  const home = temporaryHome();
  expect(isSwept(join(home, 'reports'), join(home, 'state'))).toBe(false);
});
