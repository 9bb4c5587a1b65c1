// A journal that has grown: what a command costs that reads all of it, its end, or the sum of a day.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshSettings, inTurns, median, paycli, peakIn, recordingPeak, row, startSandbox } from './harness.mjs';
import { fillJournal } from './large-journal.mjs';

export const title = 'Large journal';

export async function measure({ entries, pairs }) {
  const { settings, env } = await startSandbox();
  const profiles = Object.fromEntries(['uncapped', 'capped'].map((name) => [name, { ...env, ...freshSettings() }]));
  for (const [name, own] of Object.entries(profiles)) {
    writeProfile(own, settings, name);
    run(['journal'], own);
    fillJournal(own.PAYCLI_STATE_DIR, entries, name);
  }
  const { capped, uncapped } = profiles;
  const once = (what, argv, goal) => {
    const { seconds, mebibytes } = run(argv, capped);
    return [
      row({ what, unit: 's', values: [seconds], goal }),
      row({ what: `the same, most memory`, unit: 'MiB', values: [mebibytes], goal: { atMost: 200 } }),
    ];
  };
  let orders = 0;
  const payout = (own) => () => {
    orders += 1;
    const flags = [
      '--amount',
      '0.01',
      '--currency',
      'EUR',
      '--account-number',
      'DE02120300000000202051',
      '--bank-name',
      'Bank',
      '--bank-branch',
      'Main',
    ];
    return run(['payout', ...flags, '--client-order-id', `bench-${orders}`], own, [0, 7]).seconds * 1000;
  };
  const paid = await inTurns(pairs, [payout(uncapped), payout(capped)]);
  // After the payouts: until something is sent, every opening follows the lines that were filled in behind the journal's
  // note of its end.
  const list = await inTurns(pairs, [
    () => run(['--version'], capped).seconds * 1000,
    () => run(['journal'], capped).seconds * 1000,
  ]);
  const more = median(paid[1].map((ms, turn) => ms - (paid[0][turn] ?? 0)));
  return {
    method: `${entries.toLocaleString('en')} entries, all of today; ${pairs} turns of the list and of payouts, the rest once`,
    rows: [
      row({
        what: '`journal`, the newest 50',
        unit: 'ms',
        values: list[1],
        beside: '`paycli --version`',
        besideValues: list[0],
      }),
      row({
        what: 'the same, beyond start-up',
        unit: 'ms',
        values: [median(list[1].map((ms, at) => ms - (list[0][at] ?? 0)))],
        goal: { atMost: 300 },
      }),
      row({
        what: 'a payout under a cap of the day, more than one without',
        unit: 'ms',
        values: [more],
        goal: { atMost: 20 },
      }),
      ...once('`journal --all`', ['journal', '--all']),
      ...once('`journal --json`', ['journal', '--json']),
      ...once('`journal --verify`', ['journal', '--verify'], { atMost: 10 }),
      ...once('`doctor`', ['doctor']),
    ],
  };
}

function writeProfile(own, { PAYCLI_BASE_URL: url, PAYCLI_LOGIN: login, PAYCLI_CONTROL_KEY_FILE: key }, name) {
  mkdirSync(own.PAYCLI_CONFIG_DIR, { recursive: true, mode: 0o700 });
  const cap = name === 'capped' ? ['    max-total-per-day: ["9000000.00 EUR"]'] : [];
  const lines = [
    `default-profile: ${name}`,
    'profiles:',
    `  ${name}:`,
    '    class: test',
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
