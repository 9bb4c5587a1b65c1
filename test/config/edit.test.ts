import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyChanges, type Change, readUserFile, writeUserFile } from '../../src/config/edit.js';
import { loadProfile } from '../../src/config/load-profile.js';
import { failure, makeFixture, userFile } from './support.js';

const mine = { class: 'test', 'base-url': 'https://gate.example/x', login: 'my-shop', 'endpoint-id': 4001 };
const put: Change = { kind: 'put', name: 'mine', profile: mine };
const block = (indent: string) =>
  [
    `${indent}mine:`,
    `${indent}  class: test`,
    `${indent}  base-url: https://gate.example/x`,
    `${indent}  login: my-shop`,
    `${indent}  endpoint-id: 4001`,
    '',
  ].join('\n');
const other = '  other: { class: test, base-url: https://o.example, login: o, endpoint-id: 1 } # theirs\n';
const long =
  '  long:\n    # why\n    class: test\n\n    base-url: https://l.example\n    login: l\n    endpoint-id: 2\n    # last word\n';

const yaml: readonly {
  readonly what: string;
  readonly before: string;
  readonly changes: readonly Change[];
  readonly after: string;
}[] = [
  { what: 'a first profile', before: '', changes: [put], after: `profiles:\n${block('  ')}` },
  {
    what: 'a first profile under a comment',
    before: '# hello\n',
    changes: [put],
    after: `# hello\nprofiles:\n${block('  ')}`,
  },
  {
    what: 'a profile without a line end',
    before: 'timeout: 5',
    changes: [put],
    after: `timeout: 5\nprofiles:\n${block('  ')}`,
  },
  {
    what: 'an empty mapping',
    before: 'profiles: {} # none\n',
    changes: [put],
    after: `profiles:  # none\n${block('  ')}`,
  },
  {
    what: 'one behind others, with what follows',
    before: `# top\nprofiles:   # all\n${other}\n${long}\n# below\noutput: json\n`,
    changes: [put],
    after: `# top\nprofiles:   # all\n${other}\n${long.replace('    # last word\n', '')}${block('  ')}    # last word\n\n# below\noutput: json\n`,
  },
  {
    what: 'the way the file sets its lines in',
    before: 'profiles:\n o: { class: test, base-url: https://o.example, login: o, endpoint-id: 1 }\n',
    changes: [put],
    after: `profiles:\n o: { class: test, base-url: https://o.example, login: o, endpoint-id: 1 }\n${block(' ')}`,
  },
  {
    what: 'a profile in the place of an older one',
    before: `profiles:\n  mine:\n    class: live\n    base-url: https://gate.example\n    login: x\n    endpoint-id: 9\n${other}`,
    changes: [put],
    after: `profiles:\n${block('  ')}${other}`,
  },
  {
    what: 'Windows line ends',
    before: 'output: text\r\n',
    changes: [put],
    after: `output: text\nprofiles:\n${block('  ')}`.replaceAll('\n', '\r\n'),
  },
  {
    what: 'a default with its remark',
    before: `default-profile: long   # for now\nprofiles:\n${long}${other}`,
    changes: [{ kind: 'default', name: 'other' }],
    after: `default-profile: other   # for now\nprofiles:\n${long}${other}`,
  },
  {
    what: 'a default where there was none',
    before: `# mine\n\n---\nprofiles:\n${other}`,
    changes: [{ kind: 'default', name: 'other' }],
    after: `# mine\n\n---\ndefault-profile: other\nprofiles:\n${other}`,
  },
  {
    what: 'a name that YAML would take for a truth value',
    before: 'profiles:\n  "yes": { class: test, base-url: https://o.example, login: o, endpoint-id: 1 }\n',
    changes: [{ kind: 'default', name: 'yes' }],
    after:
      'default-profile: "yes"\nprofiles:\n  "yes": { class: test, base-url: https://o.example, login: o, endpoint-id: 1 }\n',
  },
  {
    what: 'one profile less',
    before: `default-profile: long\nprofiles:\n${long}${other}`,
    changes: [{ kind: 'remove', name: 'long' }, { kind: 'no-default' }],
    after: `profiles:\n${other}`,
  },
  {
    what: 'the last profile less',
    before: `output: json\nprofiles:\n${other}`,
    changes: [{ kind: 'remove', name: 'other' }],
    after: 'output: json\n',
  },
];

test.each(yaml)('YAML keeps its comments: $what', ({ before, changes, after }) => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  const path = fixture.write(userFile, before, 0o644);
  const done = applyChanges(readUserFile(files), changes, files);
  expect(done.text).toBe(after);
  writeUserFile(done, files);
  expect([files.readText(path), files.facts(path)?.mode]).toEqual([after, 0o600]);
});

const strange: readonly (readonly [what: string, text: string])[] = [
  ['profiles on one line', 'profiles: { o: { class: test, base-url: https://o.example, login: o, endpoint-id: 1 } }\n'],
  ['the whole file on one line', '{ output: json }\n'],
  ['an ended document', 'output: json\n...\n'],
];

test.each(strange)('%s is left alone, with the lines to write', async (_, text) => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  fixture.write(userFile, text);
  const error = await failure(() => applyChanges(readUserFile(files), [put], files));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', exit: 3 });
  expect(error.message).toContain('edit the file yourself: add under profiles: "mine":{"class":"test",');
});

test('a profile that others are made from is not taken out', async () => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  fixture.write(
    userFile,
    'profiles:\n  a: &a { class: test, base-url: https://a.example, login: a, endpoint-id: 1 }\n  b: { <<: *a, login: b }\n',
  );
  const error = await failure(() => applyChanges(readUserFile(files), [{ kind: 'remove', name: 'a' }], files));
  expect(error.message).toContain('edit the file yourself: remove profiles.a');
});

test('JSON stays JSON', async () => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  const path = fixture.write('.config/paycli/config.json', '{"timeout":7,"profiles":{}}');
  writeUserFile(applyChanges(readUserFile(files), [put, { kind: 'default', name: 'mine' }], files), files);
  expect(JSON.parse(files.readText(path))).toEqual({ timeout: 7, profiles: { mine }, 'default-profile': 'mine' });
  expect((await loadProfile({}, fixture.ports())).profile?.login).toBe('my-shop');
});

test('what would be no usable file is not written', async () => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  fixture.write(
    userFile,
    'profiles:\n  l: { class: live, base-url: https://gate.example, login: l, endpoint-id: 1 }\n',
  );
  expect(await failure(() => applyChanges(readUserFile(files), [put], files))).toMatchObject({
    code: 'PROFILE_CLASS_MISMATCH',
    exit: 3,
  });
  const wrong: Change = { kind: 'put', name: 'mine', profile: { ...mine, login: 'a b' } };
  expect(await failure(() => applyChanges(readUserFile(files), [wrong], files))).toMatchObject({
    code: 'CONFIG_INVALID',
    exit: 3,
  });
});

test('whatever text stands in a profile, the file reads back as it', () => {
  const { files } = makeFixture().ports();
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ minLength: 1 }),
        fc.constantFrom('1', '1e3', '0x10', '~', 'null', 'Yes', '- a', 'a: b', 'a #b', '1:30', '='),
      ),
      (value) => {
        const path = '/home/x/config.yaml';
        const ca = `/${value.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')}`.trim();
        const change: Change = { kind: 'put', name: 'mine', profile: { ...mine, 'ca-file': ca } };
        const { content } = applyChanges({ path, text: '', data: {} }, [change], files);
        expect(content.profiles.get('mine')?.draft.texts['ca-file']?.value).toBe(ca);
      },
    ),
  );
});
