// The licences of the packages whose code is in the program.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As one text, by the list of files that the bundler gives. */
export function licencesOf({ inputs }, root) {
  const folders = Object.keys(inputs).map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const packages = [...new Set(folders.filter((folder) => folder !== undefined))].sort();
  return packages.map((folder) => licenceOf(join(root, folder))).join(`\n${'-'.repeat(80)}\n\n`);
}

/** What a package that travels inside of ours wants to be said of it. */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|-|$)/i.test(each));
  if (typeof license !== 'string') throw new Error(`${folder} does not name its licence`);
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version}, ${license}\n${text}`;
}
