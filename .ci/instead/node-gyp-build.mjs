// Asks the disk for one file, the build that comes with the package and fits nearly everywhere, and not for every build there could be.
// Whatever else is wanted (a build of one's own, musl, another platform) is left to the real one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export default function load() {
  const folder = module.paths.map((path) => join(path, '@photostructure/sqlite')).find((path) => existsSync(path));
  const usual = join(String(folder), 'prebuilds', `${process.platform}-${process.arch}`, '@photostructure+sqlite.glibc.node');
  const isUsual = process.env.LIBC === undefined && !existsSync('/etc/alpine-release') && !existsSync(join(String(folder), 'build'));
  if (isUsual && existsSync(usual)) return module.require(usual);
  const packageFile = process.getBuiltinModule('node:module').createRequire(__filename).resolve('@photostructure/sqlite/package.json');
  return process.getBuiltinModule('node:module').createRequire(packageFile)('node-gyp-build')(join(packageFile, '..'));
}
