import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCallbackHistory } from '../../src/cli/core/user-stores.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import { systemRandom } from '../../src/runtime/machine.js';
import { getOf, postOf, saleFields } from '../callbacks/support.js';
import { homeWithProfile } from '../cli/profiles.js';
import { paycli } from '../support/runtime.js';

const card = '4123450000006784';
const secrets = {
  card,
  code: '739',
  control: `${'c0ffee'.repeat(6)}beef`,
  holder: 'SAMPLEHOLDER',
  mail: 'jane.q@payer.example',
};

const fields = {
  ...saleFields({ control: secrets.control }),
  pan: card,
  cvv2: secrets.code,
  name: secrets.holder,
  email: secrets.mail,
  merchantdata: `card ${card}`,
};

const form = new URLSearchParams(fields).toString();

/** The history of a home, as the commands open it. */
function openHistoryIn(home: string) {
  const env = { PAYCLI_CONFIG_DIR: join(home, 'config'), PAYCLI_STATE_DIR: join(home, 'state') };
  const files = openFiles(env, { home, working: home });
  return openCallbackHistory({ files, random: systemRandom, database: async () => sqlite });
}

const inState = (home: string) => readdirSync(join(home, 'state')).filter((name) => name.startsWith('callbacks.db'));
const keyFile = (home: string) => join(home, 'config', 'journal.key');

/** Where one of these stands in the files: as it is, percent-encoded, or in Base64 at any of its three offsets. */
function found(home: string, wanted: Readonly<Record<string, string>> = secrets): readonly string[] {
  return inState(home).flatMap((name) => {
    const bytes = readFileSync(join(home, 'state', name)).toString('latin1');
    return Object.entries(wanted).flatMap(([what, text]) => {
      const forms = [0, 1, 2].map((offset) =>
        Buffer.from(`${'x'.repeat(offset)}${text}`)
          .toString('base64')
          .slice(4, -4),
      );
      // Three digits stand in any file by chance; the code is looked for with its name.
      const plain =
        what === 'code'
          ? [`cvv2=${text}`]
          : [text, encodeURIComponent(text), ...forms.filter((each) => each.length >= 8)];
      return plain.some((each) => bytes.includes(Buffer.from(each).toString('latin1'))) ? [`${what} in ${name}`] : [];
    });
  });
}

const about = {
  place: 'https://gate.example/prefix',
  profile: 'shop',
  class: 'test',
  status: 'approved',
  type: 'sale',
} as const;
const callback = {
  ...about,
  orderId: '12345',
  clientOrderId: '902B4FF5',
  verified: 'fits',
  why: '',
  forwardTo: undefined,
} as const;
const post = { ...postOf(form), body: Buffer.from(form) };
const get = { ...getOf(fields), body: Buffer.alloc(0) };

describe('stored callbacks', () => {
  test('show nothing of what came in any file of the state folder, while the listener runs and after', async () => {
    const home = homeWithProfile();
    const store = await openHistoryIn(home);
    const { id } = store.save({ ...callback, raw: post }, 1).callback;
    store.save({ ...callback, raw: get }, 2);
    store.save(
      {
        ...callback,
        status: `approved ${card}`,
        orderId: card,
        clientOrderId: `cvv ${secrets.code} of ${card}`,
        raw: get,
      },
      3,
    );
    store.recordForward(id, {
      at: 4,
      url: 'http://127.0.0.1:9/',
      status: 500,
      reply: form.slice(0, 200),
      reason: undefined,
      ms: 1,
    });
    store.addConflicts(id, [`its amount ${card} differs from the journal`]);
    expect(inState(home)).toContain('callbacks.db-wal');
    expect(found(home)).toEqual([]);
    expect(store.get(id)).toMatchObject({ raw: post, forwards: [{ reply: form.slice(0, 200) }] });
    expect(store.list({ order: card })).toMatchObject([{ orderId: card, status: `approved ${card}`, raw: get }]);
    store.close();
    expect(found(home)).toEqual([]);
  });
});

describe('a key that is not there', () => {
  const stored = async () => {
    const home = homeWithProfile();
    const store = await openHistoryIn(home);
    const { id } = store.save({ ...callback, raw: post }, 1).callback;
    store.close();
    return { home, id: String(id) };
  };

  test('loses no new callback: another key is made, older ones are listed as encrypted, and open again with the old file', async () => {
    const { home, id } = await stored();
    renameSync(keyFile(home), `${keyFile(home)}.old`);
    const listed = await paycli(['callback', 'list'], { home });
    expect([listed.exit, listed.out]).toEqual([
      0,
      expect.stringContaining('encrypted with a key that is not on this machine'),
    ]);
    const shown = await paycli(['callback', 'list', id], { home });
    expect([shown.exit, shown.out]).toEqual([0, expect.stringContaining(keyFile(home))]);
    const replayed = await paycli(['callback', 'send', '--stored', id, '--to', 'http://127.0.0.1:9/'], { home });
    expect([replayed.exit, replayed.err]).toEqual([13, expect.stringContaining(keyFile(home))]);
    const store = await openHistoryIn(home);
    const other = store.save({ ...callback, raw: get }, 2).callback;
    expect(other.raw).toEqual(get);
    store.close();
    renameSync(`${keyFile(home)}.old`, keyFile(home));
    const restored = await openHistoryIn(home);
    expect(restored.list().map(({ raw }) => raw)).toEqual([post, undefined]);
    expect(restored.save({ ...callback, raw: post }, 3).as).toBe('repeat');
    restored.close();
  });

  test('or is no key: the listener ends before its port opens, so that nothing is answered and lost', async () => {
    const { home } = await stored();
    const before = statSync(join(home, 'state', 'callbacks.db')).size;
    writeFileSync(keyFile(home), 'short\n');
    const ran = await paycli(['callback', 'listen', '--port', '0', '--exit-after', '1'], { home });
    expect([ran.exit, ran.out]).toEqual([13, '']);
    expect(ran.err).toContain(keyFile(home));
    expect(ran.err).not.toContain('short');
    expect(statSync(join(home, 'state', 'callbacks.db')).size).toBe(before);
  });
});
