import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A folder with `dist/` as the last build left it, packed by npm and unpacked where npm would put it; without a network
 * and without the dependencies.
 */
export function installed(): string {
  const place = mkdtempSync(join(tmpdir(), 'paycli-installed-'));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--offline', '--loglevel', 'error'];
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', place, ...quiet], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const target = join(place, 'node_modules/paycli');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(place, JSON.parse(packed)[0].filename), '-C', target, '--strip-components=1']);
  return place;
}
