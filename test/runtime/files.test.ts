import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
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
const modeOf = (name: string) => statSync(at(name)).mode & 0o777;
const coded = (code: string) => expect.objectContaining({ code });

describe('folders', () => {
  const usual = ['/home/jane/.config/paycli', '/home/jane/.local/state/paycli'];

  test.each([
    [{}, usual],
    [{ XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, ['/c/paycli', '/s/paycli']],
    [{ XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: '' }, usual],
    [{ PAYCLI_CONFIG_DIR: '/own/c', PAYCLI_STATE_DIR: '/own/s' }, ['/own/c', '/own/s']],
  ])('with %j', (env, [config, state]) => {
    expect(openFiles(env, places).folders).toEqual({ config, state, ...places });
  });

  test('an empty or relative PAYCLI_STATE_DIR never means the usual folder', () => {
    for (const PAYCLI_STATE_DIR of ['', 'here'])
      expect(() => openFiles({ PAYCLI_STATE_DIR }, places).folders.state).toThrow(coded('ENVIRONMENT_INVALID'));
  });
});

describe('reading', () => {
  test('gives text without a byte order mark, and bytes as they are', () => {
    writeFileSync(at('a'), '\ufeffnäme: 漢');
    expect(files.readText(at('a'))).toBe('näme: 漢');
    expect([...files.readBytes(at('a'))].slice(0, 4)).toEqual([0xef, 0xbb, 0xbf, 0x6e]);
    const descriptor = openSync(at('a'), 'r');
    expect(String(files.readDescriptor(descriptor))).toBe('\ufeffnäme: 漢');
    closeSync(descriptor);
    expect(() => files.readDescriptor(descriptor)).toThrow(coded('EBADF'));
  });

  test('refuses what is missing, a folder, a FIFO or device without waiting, what is too large or not UTF-8', () => {
    execFileSync('mkfifo', [at('fifo')]);
    writeFileSync(at('latin1'), Buffer.from([0x61, 0xe9]));
    for (const [path, code] of [
      [at('none'), 'ENOENT'],
      [folder, 'EISDIR'],
      [at('fifo'), 'EINVAL'],
      ['/dev/zero', 'EINVAL'],
      // Its size says 0.
      ['/proc/self/maps', 'EFBIG'],
      [at('latin1'), 'EILSEQ'],
    ] as const)
      expect(() => files.readText(path, 10)).toThrow(coded(code));
  });

  test('in pieces it is the same from wherever one begins, and lets the file go when nobody wants more', () => {
    const bytes = Buffer.from(Array.from({ length: 150_000 }, (_, at) => at % 251));
    writeFileSync(at('pieces'), bytes);
    for (const from of [0, 1, 65_536, 149_999, 150_000, 200_000])
      expect(Buffer.concat([...files.pieces(at('pieces'), from)]).equals(bytes.subarray(from))).toBe(true);
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (const _ of files.pieces(at('pieces'))) break;
    expect(open()).toBe(before);
  });
});

describe('writing', () => {
  test('makes folders 0700 and files 0600 or as given, whatever the umask', () => {
    const before = process.umask(0);
    files.writeText(at('one/two/file'), 'text');
    files.createText(at('new/key.pem'), 'secret');
    process.umask(0o077);
    files.writeText(at('open'), 'text', 0o644);
    process.umask(before);
    const names = ['one', 'one/two', 'one/two/file', 'new', 'new/key.pem', 'open'];
    expect(names.map(modeOf)).toEqual([0o700, 0o700, 0o600, 0o700, 0o600, 0o644]);
    expect(readFileSync(at('one/two/file'), 'utf8')).toBe('text');
  });

  test('replaces the whole text, through a link as well, and leaves nothing else behind', () => {
    files.writeText(at('a'), 'a long text');
    symlinkSync(at('a'), at('link'));
    files.writeText(at('link'), 'b');
    expect(readFileSync(at('a'), 'utf8')).toBe('b');
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder)).toEqual(['a', 'link']);
  });

  test('leaves no draft when it cannot write', () => {
    expect(() => files.writeText(folder, 'text')).toThrow();
    writeFileSync(at('file'), '');
    expect(() => files.writeText(at('file/below'), 'text')).toThrow();
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('a staged file takes its name once all of it is there; dropped, it leaves the older one', () => {
    const first = files.stage(at('file'));
    first.write('one ');
    first.write('two');
    expect(existsSync(at('file'))).toBe(false);
    first.keep();
    const second = files.stage(at('file'));
    second.write('new');
    second.drop();
    expect([readFileSync(at('file'), 'utf8'), modeOf('file'), readdirSync(folder)]).toEqual([
      'one two',
      0o600,
      ['file'],
    ]);
  });

  test('a new file never replaces one, nor goes through a link to nowhere', () => {
    writeFileSync(at('mine'), 'mine');
    symlinkSync(at('nowhere'), at('link'));
    for (const name of ['mine', 'link']) expect(() => files.createText(at(name), 'x')).toThrow(coded('EEXIST'));
    expect(readFileSync(at('mine'), 'utf8')).toBe('mine');
    expect(existsSync(at('nowhere'))).toBe(false);
  });
});

test('facts, exists and remove', () => {
  writeFileSync(at('a'), 'abc');
  chmodSync(at('a'), 0o640);
  expect(files.facts(at('a'))).toEqual({
    ...{ isPrivate: false, isTrusted: true, isFile: true, size: 3 },
  });
  expect(files.facts(folder)).toMatchObject({ isFile: false });
  expect(files.facts(at('none'))).toBeUndefined();
  files.remove(at('a'));
  files.remove(at('a'));
  expect(files.exists(at('a'))).toBe(false);
});
