// What an installation takes on disk: the packed package with its production dependencies, with and without the optional ones.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root, row, scratch } from './harness.mjs';

export const title = 'Size';

/** Nothing is built and no install script runs. */
const plain = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
const quietly = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] };

export function measure() {
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', scratch, ...plain], {
    ...quietly,
    cwd: root,
  });
  const [{ filename, size }] = JSON.parse(packed);
  const tarball = join(scratch, filename);
  const [all, fewest] = [installed(tarball), installed(tarball, '--omit=optional')];
  const megabytes = (what, bytes) => row({ what, unit: 'MB', values: [bytes / 1e6] });
  return {
    method: 'production dependencies only',
    rows: [
      megabytes('package to download', size),
      megabytes('package alone, installed', all.own),
      megabytes(`installed, ${all.packages} packages`, all.total),
      megabytes(`without optional dependencies, ${fewest.packages} packages`, fewest.total),
    ],
  };
}

function installed(tarball, ...flags) {
  const prefix = mkdtempSync(join(scratch, 'installed-'));
  execFileSync('npm', ['install', '--prefix', prefix, '--omit=dev', ...flags, ...plain, tarball], quietly);
  const modules = join(prefix, 'node_modules');
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  return { total: bytesIn(modules), own: bytesIn(join(modules, 'paycli')), packages: Object.keys(packages).length };
}

function bytesIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
