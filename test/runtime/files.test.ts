import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFiles } from '../../src/runtime/files.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paycli-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const places = { home: '/home/jane', working: '/srv/here' };
const files = openFiles({}, places);
const at = (name: string) => join(folder, name);
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('folders', () => {
  test.each([
    [{}, '/home/jane/.config/paycli', '/home/jane/.local/state/paycli', '/home/jane/.local/share/paycli'],
    [{ XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_DATA_HOME: '/d' }, '/c/paycli', '/s/paycli', '/d/paycli'],
    [
      { XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: './s', XDG_DATA_HOME: '' },
      '/home/jane/.config/paycli',
      '/home/jane/.local/state/paycli',
      '/home/jane/.local/share/paycli',
    ],
    [
      { PAYCLI_CONFIG_DIR: '/own/c', PAYCLI_STATE_DIR: '/own/s', XDG_DATA_HOME: '/d' },
      '/own/c',
      '/own/s',
      '/own/s/data',
    ],
  ])('with %j', (env, config, state, data) => {
    expect(openFiles(env, places).folders).toEqual({ config, state, data, ...places });
  });

  test.each(['PAYCLI_CONFIG_DIR', 'PAYCLI_STATE_DIR'])('an empty %s never means the usual folder', (name) => {
    expect(() => openFiles({ [name]: '' }, places).folders.state).toThrow(`${name}: it is set but empty`);
  });
});

describe('readText', () => {
  test('gives text and drops a byte order mark', () => {
    writeFileSync(at('a'), '\ufeffnäme: 漢');
    expect(files.readText(at('a'))).toBe('näme: 漢');
  });

  test('refuses what is missing, a folder, too large, not UTF-8', () => {
    writeFileSync(at('large'), 'a'.repeat(11));
    writeFileSync(at('latin1'), Buffer.from([0x61, 0xe9]));
    expect(() => files.readText(at('none'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    expect(() => files.readText(folder)).toThrow(expect.objectContaining({ code: 'EISDIR' }));
    expect(() => files.readText(at('large'), 10)).toThrow(expect.objectContaining({ code: 'EFBIG' }));
    expect(files.readText(at('large'), 11)).toHaveLength(11);
    expect(() => files.readText(at('latin1'))).toThrow(expect.objectContaining({ code: 'EILSEQ' }));
  });

  test('refuses a FIFO and a device without waiting', () => {
    execFileSync('mkfifo', [at('fifo')]);
    expect(() => files.readText(at('fifo'))).toThrow(expect.objectContaining({ code: 'EINVAL' }));
    expect(() => files.readText('/dev/zero')).toThrow(expect.objectContaining({ code: 'EINVAL' }));
  });

  test('in pieces it is the same, from wherever one begins', () => {
    const bytes = Buffer.from(Array.from({ length: 150_000 }, (_, at) => at % 251));
    writeFileSync(at('pieces'), bytes);
    for (const from of [0, 1, 65_536, 149_999, 150_000, 200_000]) {
      const pieces = [...files.pieces(at('pieces'), from)];
      expect(Buffer.concat(pieces).equals(bytes.subarray(from))).toBe(true);
      expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
    }
  });

  test('in pieces it refuses the same before the first, and lets the file go when nobody wants more', () => {
    execFileSync('mkfifo', [at('pipe')]);
    const first = (path: string) => files.pieces(path)[Symbol.iterator]().next();
    expect(() => first(at('none'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    expect(() => first(folder)).toThrow(expect.objectContaining({ code: 'EISDIR' }));
    expect(() => first(at('pipe'))).toThrow(expect.objectContaining({ code: 'EINVAL' }));
    writeFileSync(at('large'), Buffer.alloc(200_000));
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (const _ of files.pieces(at('large'))) break;
    expect(open()).toBe(before);
  });

  test('counts what it reads, not what the size says', () => {
    expect(() => files.readText('/proc/self/maps', 10)).toThrow(expect.objectContaining({ code: 'EFBIG' }));
  });
});

test('readDescriptor reads an open descriptor to its end', () => {
  writeFileSync(at('a'), '4444333322221111');
  const descriptor = openSync(at('a'), 'r');
  expect(files.readDescriptor(descriptor)).toBe('4444333322221111');
  closeSync(descriptor);
  expect(() => files.readDescriptor(descriptor)).toThrow(expect.objectContaining({ code: 'EBADF' }));
});

test('readBytes gives them as they are, under the same rules', () => {
  writeFileSync(at('key.der'), Buffer.from([0xef, 0xbb, 0xbf, 0x30, 0xff]));
  expect([...files.readBytes(at('key.der'))]).toEqual([0xef, 0xbb, 0xbf, 0x30, 0xff]);
  expect(() => files.readBytes(at('key.der'), 4)).toThrow(expect.objectContaining({ code: 'EFBIG' }));
  expect(() => files.readBytes(folder)).toThrow(expect.objectContaining({ code: 'EISDIR' }));
});

describe('createText', () => {
  test('makes a file for its owner only, whatever the umask, and folders above it', () => {
    files.createText(at('new/key.pem'), 'secret');
    files.createText(at('new/key.pub.pem'), 'open', 0o644);
    expect([modeOf(at('new')), modeOf(at('new/key.pem')), modeOf(at('new/key.pub.pem'))]).toEqual([
      0o700, 0o600, 0o644,
    ]);
    expect(readFileSync(at('new/key.pem'), 'utf8')).toBe('secret');
  });

  test('never writes over a file, nor through a link to nowhere', () => {
    writeFileSync(at('mine'), 'mine');
    symlinkSync(at('nowhere'), at('link'));
    for (const name of ['mine', 'link'])
      expect(() => files.createText(at(name), 'x')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(readFileSync(at('mine'), 'utf8')).toBe('mine');
    expect(existsSync(at('nowhere'))).toBe(false);
  });
});

describe('writeText', () => {
  test('makes folders 0700 and the file 0600, whatever the umask', () => {
    const before = process.umask(0);
    files.writeText(at('one/two/file'), 'text');
    process.umask(0o077);
    files.writeText(at('open'), 'text', 0o644);
    process.umask(before);
    expect(readFileSync(at('one/two/file'), 'utf8')).toBe('text');
    expect([at('one'), at('one/two'), at('one/two/file'), at('open')].map(modeOf)).toEqual([
      0o700, 0o700, 0o600, 0o644,
    ]);
  });

  test('replaces the whole text and leaves nothing else behind', () => {
    files.writeText(at('a'), 'a long text');
    files.writeText(at('a'), 'b');
    expect(readFileSync(at('a'), 'utf8')).toBe('b');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test('writes through a link', () => {
    mkdirSync(at('dotfiles'));
    writeFileSync(at('dotfiles/a'), 'old');
    symlinkSync(at('dotfiles/a'), at('link'));
    files.writeText(at('link'), 'new');
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('dotfiles/a'), 'utf8')).toBe('new');
  });

  test('leaves the old text and no draft when it cannot write', () => {
    mkdirSync(at('taken'));
    expect(() => files.writeText(at('taken'), 'text')).toThrow();
    expect(readdirSync(folder)).toEqual(['taken']);
  });
});

test('facts, exists and remove', () => {
  writeFileSync(at('a'), 'abc');
  chmodSync(at('a'), 0o640);
  utimesSync(at('a'), 1_700_000_000, 1_700_000_000);
  expect(files.facts(at('a'))).toEqual({
    ...{ mode: 0o640, ownedByUser: true, isFile: true, size: 3 },
    ...{ ownedByRoot: process.getuid?.() === 0, isWritableByOthers: false },
    changedAt: 1_700_000_000_000,
  });
  expect(files.facts(folder)).toMatchObject({ isFile: false });
  expect(files.facts(at('none'))).toBeUndefined();
  files.remove(at('a'));
  files.remove(at('a'));
  expect(existsSync(at('a'))).toBe(false);
  expect(files.exists(at('a'))).toBe(false);
});

describe('stage', () => {
  test('a file takes its name once all of it is there, for its owner alone', () => {
    const staged = files.stage(at('sub/new.txt'));
    staged.write('one ');
    staged.write('two');
    expect(existsSync(at('sub/new.txt'))).toBe(false);
    staged.keep();
    staged.drop();
    expect(readFileSync(at('sub/new.txt'), 'utf8')).toBe('one two');
    expect(modeOf(at('sub/new.txt'))).toBe(0o600);
    expect(readdirSync(at('sub'))).toEqual(['new.txt']);
  });

  test('what is dropped leaves the older file as it was, and nothing beside it', () => {
    writeFileSync(at('old.txt'), 'old', { mode: 0o644 });
    const staged = files.stage(at('old.txt'));
    staged.write('new');
    staged.drop();
    expect(readFileSync(at('old.txt'), 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['old.txt']);
  });

  test('what is dropped leaves no folder that was made for it, and those that are used', () => {
    const first = files.stage(at('made/below/one.txt'));
    const second = files.stage(at('made/below/two.txt'));
    second.drop();
    first.drop();
    expect(readdirSync(folder)).toEqual([]);
    const third = files.stage(at('made/below/three.txt'));
    writeFileSync(at('made/other.txt'), '');
    third.drop();
    expect(readdirSync(at('made'))).toEqual(['other.txt']);
  });

  test('a name that no file can have leaves no folder behind', () => {
    const long = 'x'.repeat(300);
    for (const path of [`made/${long}`, `made/${long}/below.txt`]) {
      expect(() => files.stage(at(path))).toThrow();
      expect(() => files.createText(at(path), '')).toThrow();
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a link stays a link', () => {
    writeFileSync(at('real.txt'), 'old');
    symlinkSync(at('real.txt'), at('link.txt'));
    const staged = files.stage(at('link.txt'));
    staged.write('new');
    staged.keep();
    expect(lstatSync(at('link.txt')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('real.txt'), 'utf8')).toBe('new');
  });

  test('where there can be no file it says so at once', () => {
    writeFileSync(at('file'), '');
    expect(() => files.stage(at('file/below.txt'))).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^E/) }),
    );
  });
});
