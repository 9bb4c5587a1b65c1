// Checks who imports whom. A cruise that reads no module at all finds no fault either, so that counts as a failure.
import { execFileSync } from 'node:child_process';

const cruiser = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs';
const args = [cruiser, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src'];
const rows = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
const { totalCruised, totalDependenciesCruised, violations: found } = JSON.parse(rows).summary;
// The program loads each command when it is called, so a way round through core is no circle of two groups of commands.
const violations = found.filter(
  ({ rule, cycle = [] }) =>
    rule.name !== 'no-circles-of-commands' || cycle.every(({ name }) => name.includes('/commands/')),
);

for (const { rule, from, to, cycle = [] } of violations) {
  const way = cycle.length > 0 ? cycle.map(({ name }) => name).join(' → ') : to;
  console.error(`${rule.name}: ${from} → ${way}`);
}
console.log(`${totalCruised} modules, ${totalDependenciesCruised} imports, ${violations.length} not allowed`);
if (totalCruised === 0) console.error('no module was read, so nothing was checked');
process.exitCode = violations.length > 0 || totalCruised === 0 ? 1 : 0;
