import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paycli } from '../support/runtime.js';
import { controlKey, homeWithProfile } from './profiles.js';

const anotherKey = 'AF4B9B1A-CANARY-KEY-7E21';

/** A home with the profile shop of this class, and its control key again in the file same.key. */
function homeOf(kind: 'test' | 'live'): string {
  const home = homeWithProfile({ class: kind });
  writeFileSync(join(home, 'same.key'), `${controlKey}\n`, { mode: 0o600 });
  writeFileSync(join(home, 'another.key'), `${anotherKey}\n`, { mode: 0o600 });
  return home;
}

const connection = (kind: string, key: string) =>
  `--class ${kind} --base-url https://second.example --login my-shop --endpoint-id 4001 --control-key-file ${key}`.split(
    ' ',
  );
const warned = (name: string, kind: string, other: string) =>
  `warning: profile ${name} of class ${kind} has the same control key as profile shop of class ${other}; ask gateway support for a separate key for each\n`;

test.each([
  ['live', 'test', 'same.key', warned('second', 'test', 'live')],
  ['test', 'live', 'same.key', warned('second', 'live', 'test')],
  ['live', 'test', 'another.key', ''],
  ['test', 'test', 'same.key', ''],
] as const)('beside a %s profile, init of a %s one with %s', async (kind, added, key, says) => {
  const init = ['init', '--name', 'second', ...connection(added, key), '--no-check'];
  const made = await paycli(init, { home: homeOf(kind) });
  expect([made.exit, made.err]).toEqual([0, says]);
});

test('profile set-key and doctor say it, and show no key', async () => {
  const home = homeOf('live');
  const add = await paycli(['init', '--no-check', '--name', 'second', ...connection('test', 'another.key')], { home });
  expect([add.exit, add.err]).toEqual([0, '']);
  const set = await paycli(['profile', 'set-key', 'second', 'control', '--file', 'same.key', '--unchecked'], { home });
  expect([set.exit, set.err]).toEqual([0, warned('second', 'test', 'live')]);
  const doctor = await paycli(['doctor', '--profile', 'second'], { home });
  expect(doctor.out).toMatch(/^warn +control key +file .*: the same control key as profile shop of class live$/m);
  expect(doctor.out).toContain('do: ask gateway support for a separate key for each');
  for (const { out, err } of [set, doctor]) expect(out + err).not.toContain(controlKey);
});

test('a key that cannot be read counts as another one', async () => {
  const home = homeOf('live');
  const path = join(home, 'config/config.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace(join(home, 'control.key'), join(home, 'nowhere.key')));
  const add = await paycli(['init', '--no-check', '--name', 'second', ...connection('test', 'same.key')], { home });
  expect([add.exit, add.err]).toEqual([0, '']);
});
