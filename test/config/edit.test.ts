import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyChanges, type Change, readUserFile, writeUserFile } from '../../src/config/edit.js';
import { failure, makeFixture, userFile } from './support.js';

const mine = { class: 'test', 'base-url': 'https://gate.example/x', login: 'my-shop', 'endpoint-id': 4001 };
const put: Change = { path: ['profiles', 'mine'], value: mine };
const block =
  '  mine:\n    class: test\n    base-url: https://gate.example/x\n    login: my-shop\n    endpoint-id: 4001\n';
const other = '  other: { class: test, base-url: https://o.example, login: o, endpoint-id: 1 } # theirs\n';
const long =
  '  long:\n    # why\n    class: test\n\n    base-url: https://l.example\n    login: l\n    endpoint-id: 2\n    # last word\n';

const yaml: readonly {
  readonly what: string;
  readonly before: string;
  readonly changes: readonly Change[];
  readonly after: string;
}[] = [
  { what: 'a first profile', before: '', changes: [put], after: `profiles:\n${block}` },
  {
    what: 'one behind others, with what follows',
    before: `# top\nprofiles:\n  # all\n${long}${other}\n# below\noutput: json\n`,
    changes: [put],
    after: `# top\nprofiles:\n  # all\n${long}${other}${block}\n# below\noutput: json\n`,
  },
  {
    what: 'one key of a profile',
    before: `profiles:\n${long}${other}`,
    changes: [
      { path: ['profiles', 'long', 'login'], value: 'two' },
      { path: ['profiles', 'long', 'endpoints'], value: { EUR: 4 } },
    ],
    after: `profiles:\n${long.replace('login: l\n', 'login: two\n')}`
      .replace('    # last word\n', '    endpoints: { EUR: 4 }\n    # last word\n')
      .concat(other),
  },
  {
    what: 'one profile less',
    before: `default-profile: long\nprofiles:\n${long}${other}`,
    changes: [{ path: ['profiles', 'long'] }, { path: ['default-profile'] }],
    after: `profiles:\n${other}`,
  },
];

test.each(yaml)('YAML keeps its comments: $what', ({ before, changes, after }) => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  const path = fixture.write(userFile, before, 0o644);
  const done = applyChanges(readUserFile(files), changes, files);
  expect(done.text).toBe(after);
  writeUserFile(done, files);
  expect([files.readText(path), files.facts(path)?.isPrivate]).toEqual([after, true]);
});

test('a profile that others are made from is not taken out', async () => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  fixture.write(
    userFile,
    'profiles:\n  a: &a { class: test, base-url: https://a.example, login: a, endpoint-id: 1 }\n  b: { <<: *a, login: b }\n',
  );
  const error = await failure(() => applyChanges(readUserFile(files), [{ path: ['profiles', 'a'] }], files));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', exit: 3 });
  expect(error.message).toContain('edit it yourself');
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
  const wrong: Change = { path: ['profiles', 'mine'], value: { ...mine, login: 'a b' } };
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
        fc.constantFrom('1', '1e3', '0x10', '0o7', '~', 'null', 'Yes', '- a', 'a: b', 'a #b', '1:30', '=', '<<'),
        fc.constantFrom('2030-01-07', '2030-01-07T12:00:00.000Z', '1_000', '0b1', '.5', '+1', '010', '.inf'),
      ),
      (value) => {
        const path = '/home/x/config.yaml';
        const desc = value.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim() || 'x';
        const change: Change = { path: ['profiles', 'mine'], value: { ...mine, defaults: { 'order-desc': desc } } };
        const { content } = applyChanges({ path, text: '', data: {} }, [change], files);
        expect(content.profiles.get('mine')?.['defaults.orderDesc']?.value).toBe(desc);
      },
    ),
  );
});
