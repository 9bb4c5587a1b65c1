/** A process of its own with a journal: it begins payments at a moment, says what came of each, and stays. */
import { join } from 'node:path';
import type { NewRequest, Sum } from '../../src/journal/port.js';
import { openSqliteJournal } from '../../src/journal/sqlite.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import { systemClock, systemRandom } from '../../src/runtime/machine.js';
import { systemProcesses } from '../../src/runtime/processes.js';

const [, , folder = '', at = '0', requests = '[]', cap = 'null'] = process.argv;
const journal = openSqliteJournal({
  databases: sqlite,
  files: openFiles({}, { home: folder, working: folder }),
  clock: systemClock,
  random: systemRandom,
  process: systemProcesses,
  path: join(folder, 'state', 'requests.db'),
  markPath: join(folder, 'config', 'marks.json'),
  key: 'the key of this installation',
  who: 'child',
});
const dayCap = (JSON.parse(cap) as Sum | null) ?? undefined;
while (Date.now() < Number(at));
for (const request of JSON.parse(requests) as NewRequest[]) {
  const [answer] = await journal.begin([{ request, attempt: 0, dayCap }]);
  const said = answer !== undefined && 'refused' in answer ? answer.refused.why : 'begun';
  process.stdout.write(`${said}\n`);
}
process.stdout.write('all\n');
// Until it is killed.
setInterval(() => undefined, 1000);
