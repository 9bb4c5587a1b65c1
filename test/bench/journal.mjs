// A journal that has grown: what a command costs that reads all of it, its end, or the sum of a day.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshSettings, inTurns, median, paycli, peakIn, recordingPeak, row, startSandbox } from './harness.mjs';
import { fillJournal } from './large-journal.mjs';

export const title = 'Large journal';

export async function measure({ entries, pairs }) {
  const { settings, env } = await startSandbox();
  const profiles = Object.fromEntries(
    ['uncapped', 'capped'].map((name) => [name, { ...env, ...freshSettings(), PAYCLI_PROFILE: name }]),
  );
  for (const [name, own] of Object.entries(profiles)) {
    writeProfile(own, settings, name);
    run([...payoutOf('first'), '--wait'], own);
    fillJournal(own.PAYCLI_STATE_DIR, entries);
  }
  const { capped, uncapped } = profiles;
  const empty = { ...env, ...freshSettings(), PAYCLI_PROFILE: 'capped' };
  writeProfile(empty, settings, 'capped');
  const once = (what, argv, goal) => {
    const { seconds, mebibytes } = run(argv, capped);
    return [
      row({ what, unit: 's', values: [seconds], goal }),
      row({ what: `the same, most memory`, unit: 'MiB', values: [mebibytes], goal: { atMost: 150 } }),
    ];
  };
  let orders = 0;
  const payout = (own) => () => {
    orders += 1;
    return run(payoutOf(`bench-${orders}`), own, [0, 7]).seconds * 1000;
  };
  const paid = await inTurns(pairs, [payout(uncapped), payout(capped)]);
  const list = await inTurns(pairs, [
    () => run(['orders'], empty).seconds * 1000,
    () => run(['orders'], capped).seconds * 1000,
  ]);
  const more = median(paid[1].map((ms, turn) => ms - (paid[0][turn] ?? 0)));
  return {
    method: `${entries.toLocaleString('en')} entries, all of today; ${pairs} turns of the list and of payouts, the rest once`,
    rows: [
      row({
        what: '`orders`, the newest 50',
        unit: 'ms',
        values: list[1],
        beside: '`orders` of an empty journal',
        besideValues: list[0],
      }),
      row({
        what: 'the same, beyond start-up',
        unit: 'ms',
        values: [median(list[1].map((ms, at) => ms - (list[0][at] ?? 0)))],
        goal: { atMost: 150 },
      }),
      row({
        what: 'a payout under a cap of the day, more than one without',
        unit: 'ms',
        values: [more],
        goal: { atMost: 20 },
      }),
      ...once('`journal`, the newest 50', ['journal']),
      ...once('`orders`, the newest 50 and the totals', ['orders']),
      ...once('`orders --json`, which is all', ['orders', '--json']),
      ...once('`doctor`', ['doctor']),
    ],
  };
}

function payoutOf(id) {
  const account = ['--account-number', `DE-${id}`, '--bank-name', 'Bank', '--bank-branch', 'Main'];
  return ['payout', '--amount', '0.01', '--currency', 'EUR', ...account, '--client-order-id', id];
}

function writeProfile(own, { PAYCLI_BASE_URL: url, PAYCLI_LOGIN: login, PAYCLI_CONTROL_KEY_FILE: key }, name) {
  mkdirSync(own.PAYCLI_CONFIG_DIR, { recursive: true, mode: 0o700 });
  const cap = name === 'capped' ? ['    max-total-per-day: ["9000000.00 EUR"]'] : [];
  const lines = [
    `default-profile: ${name}`,
    'profiles:',
    `  ${name}:`,
    '    class: test',
    '    ask-first: off',
    `    base-url: ${url}`,
    `    login: ${login}`,
  ];
  const text = [...lines, '    endpoint-id: 4001', `    control-key: { file: ${key} }`, ...cap].join('\n');
  writeFileSync(join(own.PAYCLI_CONFIG_DIR, 'config.yaml'), `${text}\n`, { mode: 0o600 });
}

function run(argv, env, allowed = [0]) {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [...recordingPeak, paycli, ...argv], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const seconds = (performance.now() - began) / 1000;
  if (!allowed.includes(status)) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  return { seconds, mebibytes: peakIn(stderr) };
}
