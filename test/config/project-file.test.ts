import { expect, test } from 'vitest';
import { loadProfile } from '../../src/config/load-profile.js';
import { failure, makeFixture, projectFile, shop, userFile } from './support.js';

const beyond = [
  ['profiles: { a: { class: test, base-url: https://evil.example } }', 'profiles'],
  ['profiles: {}', 'profiles'],
  ['live-hosts: [gate.example]', 'live-hosts'],
  ['defaults: { redirect-url: https://evil.example, currency: EUR }', 'defaults.redirect-url, defaults.currency'],
  ['defaults: { server_callback_url: https://evil.example }', 'defaults.server_callback_url'],
  ['defaults: { amount: "1.00" }', 'defaults.amount'],
  ['defaults: { account-number: "1" }', 'defaults.account-number'],
] as const;

test.each(beyond)('%s in a project file is refused', async (text, keys) => {
  const fixture = makeFixture();
  const file = fixture.write(projectFile, text);
  for (const user of ['', shop]) {
    fixture.write(userFile, user);
    const error = await failure(() => loadProfile({}, fixture.ports()));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', exit: 3 });
    expect(error.message).toContain(`${file}: sets ${keys}, but a project file may set only`);
  }
});

test('it names the profile and sets output, timeout and harmless texts', async () => {
  const fixture = makeFixture();
  fixture.write(userFile, shop.replace('default-profile: shop-test\n', ''));
  fixture.write(
    projectFile,
    'default-profile: shop-test\noutput: json\ntimeout: 5\ndefaults: { order-desc: Shoes, purpose: x, site_url: https://shop.example, merchant-data: "7" }',
  );
  const { profile, output, timeoutSeconds, defaults } = await loadProfile({}, fixture.ports());
  expect(profile?.name).toBe('shop-test');
  expect([output, timeoutSeconds]).toEqual(['json', 5]);
  expect(Object.keys(defaults).sort()).toEqual(['merchantData', 'orderDesc', 'purpose', 'siteUrl']);
});

test('it does not choose a live profile', async () => {
  const fixture = makeFixture();
  fixture.write(userFile, shop.replace('class: test', 'class: live'));
  fixture.write(projectFile, 'default-profile: shop-test');
  const error = await failure(() => loadProfile({}, fixture.ports()));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', exit: 3 });
  expect((await loadProfile({ profile: 'shop-test' }, fixture.ports())).profile?.class).toBe('live');
});
