import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fail } from '../../src/errors/index.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, noSuchOrder, saleFlags, statusReply, taken } from './profiles.js';

const printed = '{\n  "schema": "paycli.profiles/1"\n}\n';
const shown = ['profile', 'show', '--fields=schema', '--output-file'];

describe('--output-file', () => {
  test('takes what standard output would have had, for its owner alone', async () => {
    const home = temporaryHome();
    const ran = await paycli([...shown, 'v.json'], { home });
    expect([ran.exit, ran.out, ran.err]).toEqual([0, '', '']);
    expect(readFileSync(join(home, 'v.json'), 'utf8')).toBe(printed);
    expect(statSync(join(home, 'v.json')).mode & 0o777).toBe(0o600);
  });

  test('where no file can be, nothing is sent', async () => {
    const home = homeWithProfile();
    const ran = await paycli([...saleFlags, '--output-file', 'control.key/out.json'], { home });
    expect([ran.exit, ran.out, ran.requests]).toEqual([13, '', []]);
    expect(ran.err).toContain('control.key/out.json');
  });

  test('a folder is wrong usage, and nothing is sent', async () => {
    const home = homeWithProfile();
    mkdirSync(join(home, 'folder'));
    const ran = await paycli([...saleFlags, '--output-file', 'folder'], { home });
    expect([ran.exit, ran.requests]).toEqual([2, []]);
    expect(ran.err).toContain('it is not a regular file');
  });

  test('an older file stays when the command fails without a result, and no draft is left', async () => {
    const home = temporaryHome();
    writeFileSync(join(home, 'old.json'), 'old');
    const failed = await paycli(['journal', 'nobody', '--output-file', 'old.json'], { home });
    expect(failed.exit).toBe(2);
    expect(readFileSync(join(home, 'old.json'), 'utf8')).toBe('old');
    expect((await paycli([...shown, 'old.json'], { home })).exit).toBe(0);
    expect(readFileSync(join(home, 'old.json'), 'utf8')).toBe(printed);
    expect(readdirSync(home).filter((name) => name.includes('old.json'))).toEqual(['old.json']);
  });

  test.each([
    'support nowhere --output-file new/below/x.json',
    'support nowhere --out new/below/x.zip',
    'journal nobody --output-file new/x.json',
    'order nowhere --timeline --output-file new/x.json',
    'sale --amount 1 --output-file new/x.json',
    'keys generate --bits 1 --out new/key.pem',
    'keys convert nothing.pem --to jwk --out new/key.jwk',
    'batch show 0123 --out new/report',
    'certify --junit new/x.xml --html new/x.html --base-url ftp://nowhere',
    'resolve 7 --settle-as paid --evidence statement --request-file new/request.json',
    'callback listen --ready-file new/ready --port 99999',
    'sandbox start --ready-file new/ready --port 99999',
  ])('a refused command makes no folder: %s', async (line) => {
    const home = homeWithProfile();
    const ran = await paycli(line.split(' '), { home });
    expect(ran.exit, ran.out + ran.err).toBeGreaterThan(0);
    expect(readdirSync(home)).not.toContain('new');
  });

  test('the result of a command with a failing exit code is kept', async () => {
    const home = homeWithProfile();
    const no = reply(400, { type: 'validation-error', 'error-message': 'no' });
    const ran = await paycli([...saleFlags, '--json', '--output-file', 'no.json'], {
      home,
      network: [() => no, () => noSuchOrder],
    });
    expect(ran.exit).toBe(4);
    expect(JSON.parse(readFileSync(join(home, 'no.json'), 'utf8'))).toMatchObject({ ok: false, exit: 4 });
  });

  /** A disk that fills up: at the first write, or when the file gets its name. */
  const filling =
    (at: 'write' | 'keep') =>
    (usual: Runtime): Runtime => ({
      ...usual,
      files: {
        ...usual.files,
        stage(path) {
          const staged = usual.files.stage(path);
          const fails = (): never => {
            throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
          };
          return path.endsWith('out.json') ? { ...staged, [at]: fails } : staged;
        },
      },
    });

  test('standard output on a full disk ends with the code of the reply, the fault and the order beside it', async () => {
    const full = (usual: Runtime): Runtime => ({
      ...usual,
      terminal: {
        ...usual.terminal,
        out: () => {
          throw fail('STORAGE', {
            what: 'standard output',
            why: 'the disk is full',
            how: 'ask again with `paycli status`',
          });
        },
      },
    });
    const sale = await paycli([...saleFlags], {
      home: homeWithProfile(),
      network: [() => reply(200, taken)],
      outside: full,
    });
    expect(sale.exit, sale.err).toBe(0);
    expect(sale.err).toContain('the request was sent; do not send it again');
    expect(sale.err).toContain('`paycli journal 12345`');
    const status = ['status', '12345', '--client-order-id', '902B4FF5'];
    const asked = await paycli(status, {
      home: homeWithProfile(),
      network: [() => reply(200, statusReply('approved'))],
      outside: full,
    });
    expect(asked.exit).toBe(13);
  });

  test.each([
    ['write', 0, [...saleFlags], reply(200, taken)],
    ['keep', 8, [...saleFlags], reply(200, taken)],
    ['write', 4, [...saleFlags], reply(400, { type: 'validation-error', 'error-message': 'no' })],
    ['write', 13, ['status', '12345', '--client-order-id', '902B4FF5'], reply(200, statusReply('approved'))],
    ['keep', 13, ['status', '12345', '--client-order-id', '902B4FF5'], reply(200, statusReply('approved'))],
  ] as const)(
    'a disk that is full at the %s ends with 13 only where nothing was sent: %i',
    async (at, exit, argv, answer) => {
      const home = homeWithProfile();
      const ran = await paycli([...argv, '--output-file', 'out.json'], {
        home,
        network: exit === 4 ? [() => answer, () => noSuchOrder] : [() => answer],
        outside: filling(at),
      });
      expect(ran.exit, ran.err).toBe(exit);
      expect(ran.err).toContain('out.json could not be used: the disk is full');
      if (argv[0] === 'sale' && exit !== 4)
        expect(ran.err).toContain('the request was sent, and `paycli journal` shows it, so do not send it again');
      // What can still be shown is.
      if (at === 'write') expect(ran.out).not.toBe('');
      expect(readdirSync(home).filter((name) => name.includes('out.json'))).toEqual([]);
    },
  );
});
