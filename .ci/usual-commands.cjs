// What the build compiles ahead and what the budgets count are the same commands: their words, and settings that sign.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const sale = ['--amount', '10.42', '--currency', 'USD', '--test-card', 'approved'];
const payer = [
  ...['--order-desc', 'Order', '--email', 'payer@example.com', '--phone', '+4930123456', '--address1', 'Street 1', '--city', 'Berlin'],
  ...['--zip-code', '10115', '--country', 'DE', '--ip-address', '192.0.2.1', '--redirect-url', 'https://shop.example/return'],
];

/** Writes a settings file of this form, `json` or `yaml`, with one profile. Nobody listens at its address, the discard port. */
function writeSettings(folder, form) {
  mkdirSync(folder, { recursive: true });
  const key = join(folder, 'control.key');
  writeFileSync(key, 'AF4B-4A2E', { mode: 0o600 });
  const shop = { class: 'test', 'base-url': 'http://127.0.0.1:9/gateway', login: 'shop', 'endpoint-id': '4001', 'control-key-file': key };
  const lines = Object.entries(shop).map(([name, value]) => `    ${name}: ${value}\n`);
  const texts = {
    json: JSON.stringify({ 'default-profile': 'shop', profiles: { shop } }),
    yaml: `default-profile: shop\nprofiles:\n  shop:\n${lines.join('')}`,
  };
  writeFileSync(join(folder, `config.${form}`), texts[form], { mode: 0o600 });
}

module.exports = { payer, sale, writeSettings };
