// From the call of paycli to its end, beside `node -e 0`.
import { execFileSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshSettings, inTurns, paycli, peer, row, time } from './harness.mjs';
import { saleFlags } from './requests.mjs';

export const title = 'Start-up';

const sale = [...saleFlags, '--json'];
const profile = {
  class: 'test',
  'base-url': 'https://gateway.example/prefix',
  login: 'shop',
  'endpoint-id': '4001',
  'control-key': { file: 'control.key' },
};

export async function measure({ pairs, withPeers }) {
  const commands = [...own(), ...(withPeers ? others() : [])];
  const env = freshSettings();
  const floor = () => time([process.execPath, '-e', '0'], env);
  const works = commands.map(({ argv, settings = env }) => {
    const words = [process.execPath, ...argv];
    return () => time(words, settings);
  });
  for (const work of works) work();
  const took = await inTurns(
    pairs,
    works.flatMap((work) => [floor, work]),
  );
  const rows = commands.map(({ what, goal }, at) =>
    row({ what, unit: 'ms', values: took[2 * at + 1], beside: '`node -e 0`', besideValues: took[2 * at], goal }),
  );
  return { method: `${pairs} pairs`, rows };
}

function own() {
  return [
    { what: '`paycli --version`', argv: ['--version'], atMost: 1.3 },
    { what: '`paycli --help`', argv: ['--help'], atMost: 2.6 },
    { what: '`paycli sale --help`', argv: ['sale', '--help'], atMost: 2.6 },
    { what: '`paycli batch run --help`', argv: ['batch', 'run', '--help'], atMost: 2.6 },
    { what: '`paycli sign sale … --json`', argv: ['sign', 'sale', ...sale], atMost: 3.2 },
    {
      what: 'the same, profile in `config.json`',
      argv: ['sign', 'sale', ...sale],
      settings: withProfile('json'),
      atMost: 3.2,
    },
    {
      what: 'the same, profile in `config.yaml`',
      argv: ['sign', 'sale', ...sale],
      settings: withProfile('yaml'),
      atMost: 3.2,
    },
    { what: '`paycli sale`, sandbox in the process', argv: ['sale', ...sale], atMost: 4.2 },
  ].map(({ argv, atMost, ...rest }) => ({ argv: [paycli, ...argv], goal: { atMost }, ...rest }));
}

function withProfile(form) {
  const settings = freshSettings();
  const folder = settings.PAYCLI_CONFIG_DIR;
  const yaml = Object.entries(profile).map(([name, value]) => `    ${name}: ${JSON.stringify(value)}\n`);
  const texts = {
    json: JSON.stringify({ 'default-profile': 'shop', profiles: { shop: profile } }),
    yaml: `default-profile: shop\nprofiles:\n  shop:\n${yaml.join('')}`,
  };
  writeFileSync(join(folder, `config.${form}`), texts[form], { mode: 0o600 });
  writeFileSync(join(folder, 'control.key'), 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20', { mode: 0o600 });
  return settings;
}

function others() {
  const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
  const version = execFileSync('npm', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const installed = ['npm-check-updates', 'newman'].map((name) => peer(name)).filter((found) => found !== undefined);
  return [{ name: `npm ${version}`, program: npm }, ...installed].map(({ name, program }) => ({
    what: `${name}, \`--version\``,
    argv: [program, '--version'],
    goal: null,
  }));
}
