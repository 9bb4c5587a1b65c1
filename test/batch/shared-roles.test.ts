// @module-tag openssl
// @module-tag postgres
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PayoutDeployment } from './payout-deployment.js';
import { json, openServers } from './servers.js';

const servers = openServers();

/** The statements that `paycli help batches` shows, for whoever makes the database and then for its owner. */
const [beforeFirstRun = [], afterFirstRun = []] = [
  ...readFileSync('src/cli/docs/topics/batches.md', 'utf8').matchAll(/^```sql\n([\s\S]*?)^```/gm),
].map(([, sql = '']) => sql.trim().split('\n'));

/** A batch that its planner put in and began, with the flags of a machine that has the role of a worker. */
async function openRoles(rows: number, ...more: string[]) {
  const { server, gateway } = servers;
  const deployment = await PayoutDeployment.open(gateway, server, rows, await server.newDatabase());
  for (const role of ['paycli_planner', 'paycli_worker'])
    if ((await server.query('SELECT 1 FROM pg_roles WHERE rolname = $1', 'postgres', [role])).length === 0)
      await server.query(`CREATE ROLE ${role} LOGIN`);
  for (const sql of beforeFirstRun.filter((each) => /^(REVOKE|GRANT)/.test(each)))
    await server.query(sql.replaceAll('DATABASE batches', `DATABASE ${deployment.database}`));
  await server.query(`ALTER DATABASE ${deployment.database} OWNER TO paycli_planner`);
  const as = (role: string) => ['--engine', server.url(deployment.database, role), '--row-key-file', 'rows.key'];
  const planner = as('paycli_planner');
  const first = await deployment.office.call(['batch', 'run', deployment.plan, ...planner, '--rate', '300/s', ...more]);
  for (const sql of afterFirstRun) await server.query(sql, deployment.database);
  return { deployment, first, planner, worker: as('paycli_worker') };
}

/** The commands that a text shows after `next:`, as words for the program. */
function nextCommands(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('next:'));
  return lines.flatMap((line) => [...line.matchAll(/`paycli ([^`]+)`/g)].map(([, words = '']) => words.split(' ')));
}

test('what a machine with the role of a worker is told to run next runs there as it stands, whatever its usual profile', async () => {
  const { deployment, first, planner, worker } = await openRoles(6, '--max-rows', '2', '--profile', 'shop');
  expect(nextCommands(first.out)).toEqual([['batch', 'resume', deployment.plan, ...planner, '--profile', 'shop']]);
  const { plan, prefix } = deployment;
  const remote = deployment.newMachine();
  const config = `${remote.path}/config/config.yaml`;
  writeFileSync(config, readFileSync(config, 'utf8').replace('default-profile: shop\n', ''));
  const call = async (exit: number, ...words: string[]) => {
    const ran = await remote.call(words);
    expect(ran.exit, ran.err + ran.out).toBe(exit);
    return ran;
  };
  const work = ['batch', 'work', plan, ...worker, '--profile', 'shop'];
  expect((await call(0, 'batch', 'list', ...worker)).out).toContain(plan);
  const limited = nextCommands((await call(12, ...work)).out);
  expect(limited).toEqual([['batch', 'continue', plan, ...worker], work]);
  await call(0, 'batch', 'pause', plan, ...worker);
  // Who has worked on it knows the way.
  const paused = await call(0, 'batch', 'pause', plan);
  expect(paused.out).toContain('was paused already');
  expect((await call(0, 'batch', 'list')).out).toMatch(new RegExp(`${plan}.*2 done, 4 planned.*paused`));
  await servers.server.query(
    `SET session_replication_role = replica;
     UPDATE paycli.gate SET state = 'unknown', attempts = 1, may_have_arrived = true, content = '' WHERE number = 5;
     UPDATE paycli.gate SET state = 'conflict', attempts = 1, content = '' WHERE number = 6`,
    deployment.database,
  );
  for (const words of nextCommands(paused.out)) await call(0, ...words);
  const withdrawn = await call(0, 'batch', 'withdraw', plan, ...worker, '--reason', 'wrong file');
  expect(withdrawn.out).toContain(
    '2 rows permanently withdrawn\nstill open, so not withdrawn: 1 conflict, 1 unknown\n',
  );
  const [again, report] = nextCommands(withdrawn.out);
  expect(again).toEqual(work);
  expect((await call(0, 'batch', 'show', plan, ...worker)).out).toContain('still open, so not withdrawn: 1 unknown, 1');
  const unfinished = await deployment.office.call(['batch', 'archive', plan]);
  expect(unfinished).toMatchObject({ exit: 10, err: expect.stringContaining('it has 1 conflict, 1 unknown') });
  expect(nextCommands(unfinished.err).find(([word]) => word === 'resolve')).toEqual(
    expect.arrayContaining(['ORDER', '--engine', '--profile', 'shop']),
  );
  const reported = await call(0, ...(report ?? []), '--out', `${remote.path}/out`);
  const left = nextCommands((await call(8, ...(again ?? []))).out);
  expect(left).toEqual([work, ['resolve', 'ORDER', '--engine', worker[1], '--profile', 'shop']]);

  // Both open rows are settled by the commands that are shown for them.
  const evidence = (words: string[]) =>
    words.map((word) => ({ paid: 'not-paid', TEXT: 'bank statement' })[word] ?? word);
  const shown = /`paycli (resolve [^`]*)`/.exec(reported.err)?.[1]?.split(' ') ?? [];
  expect(shown).toEqual(expect.arrayContaining([`${prefix}6`, '--engine', worker[1], '--profile', 'shop']));
  await call(0, ...evidence(shown));
  const asked = await call(8, 'resolve', `${prefix}5`, ...worker, '--profile', 'shop');
  const settle = nextCommands(asked.err).find((words) => words.includes('--settle-as'));
  await call(0, ...evidence(settle ?? []));
  expect(
    await servers.server.query('SELECT state FROM paycli.gate WHERE number > 4 ORDER BY number', deployment.database),
  ).toEqual([{ state: 'declined' }, { state: 'declined' }]);

  // Archiving is the owner's alone, and a look with another key is refused.
  const refused = await call(13, 'batch', 'archive', plan, ...worker);
  expect(refused.err).toContain('only the owner can run `paycli batch archive`');
  remote.write('other.key', 'cd'.repeat(32));
  for (const verb of ['show', 'report'])
    expect((await call(3, 'batch', verb, plan, ...worker.slice(0, 2), '--row-key-file', 'other.key')).err).toContain(
      'is not the row key of batch',
    );
  for (const words of [['orders'], ['order', `${prefix}1`], ['resolve', '--all']])
    await call(0, ...words, ...worker, '--profile', 'shop');
}, 60_000);

test('orders --amount finds a row of a shared batch behind any number of newer ones of other amounts', async () => {
  const deployment = await PayoutDeployment.open(servers.gateway, servers.server, 3);
  const { office, prefix } = deployment;
  expect(await deployment.run('run', deployment.on())).toMatchObject({ exit: 0 });
  const query = (sql: string) => servers.server.query(sql, deployment.database);
  const columns = await query(
    `SELECT string_agg(column_name, ', ') AS names FROM information_schema.columns WHERE table_schema = 'paycli'
     AND table_name = 'gate' AND column_name NOT IN ('id', 'number', 'client_order_id', 'order_id', 'content')`,
  );
  const copied = columns[0]?.['names'];
  await query(
    `SET session_replication_role = replica; UPDATE paycli.gate SET minor = '777' WHERE number = 1;
     INSERT INTO paycli.gate (number, client_order_id, order_id, content, ${copied})
       SELECT n, 'newer' || n, 'newer' || n, 'newer' || n, ${copied} FROM paycli.gate, generate_series(4, 10503) AS n
       WHERE number = 3`,
  );
  const { orders } = JSON.parse((await json(office, 0, 'orders', '--amount', '7.77')).out);
  const own = orders.filter((order: Record<string, string>) => order['clientOrderId']?.startsWith(prefix));
  expect(own.map((order: Record<string, string>) => order['clientOrderId'])).toEqual([`${prefix}1`]);
}, 60_000);
