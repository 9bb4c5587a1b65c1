// @module-tag openssl
import { test } from 'vitest';
import { readJournalFile } from '../support/journal-file.js';
import { expectSound } from '../support/user-journal.js';
import { killBatches } from './killed-batches.js';
import { killCommands } from './killed-commands.js';
import { payingGateway } from './shop.js';

// By day a sale is killed at each of its writes, and a batch of two machines; here both at random moments.
const kills = Number(process.env['KILLS'] ?? 1);

const { gateway, newHome } = payingGateway();

const timeout = 180_000 + kills * 12_000;

test(`${kills} kills of batches: every row is paid at most once, and the totals are exact`, { timeout }, async () => {
  const home = newHome();
  await killBatches({
    gateway: gateway(),
    workers: [home, home],
    kills,
    requests: () => readJournalFile(home.state).requests,
  });
});

test(`${kills} kills: no payment is made twice, and every payment has its entry`, { timeout }, async () => {
  const home = newHome();
  await killCommands({
    gateway: gateway(),
    workers: [home, home],
    kills,
    requests: () => readJournalFile(home.state).requests,
  });
  await expectSound(home.path);
});
