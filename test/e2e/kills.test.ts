// @module-tag openssl
import { afterAll, beforeAll, test } from 'vitest';
import { readJournalFile } from '../support/journal-file.js';
import { expectSound } from '../support/user-journal.js';
import { Home } from './home.js';
import { killBatches } from './killed-batches.js';
import { killCommands } from './killed-commands.js';
import { type Gateway, profileText, startGateway } from './shop.js';

// Two kills in a quick run; KILLS=300 for a long one.
const kills = Number(process.env['KILLS'] ?? 2);

let gateway: Gateway;
const homes: Home[] = [];

beforeAll(async () => {
  // A20: a second payment with the same id is made, so that only the journal stands between a kill and a duplicate.
  gateway = await startGateway(['--settle-ms', '0', '--assume', 'duplicate-order-id=pay']);
}, 60_000);

afterAll(async () => {
  for (const home of homes) home.remove();
  await gateway.close();
});

/** Of class sandbox, so that questions about an unknown outcome take no minutes. */
function newHome(): Home {
  const home = new Home(
    `default-profile: shop\nprofiles:\n${profileText('shop', gateway.url, gateway.keys, { class: 'sandbox' })}`,
  );
  homes.push(home);
  return home;
}

const timeout = 180_000 + kills * 12_000;

test(`${kills} kills of batches: every row is paid at most once, and the totals are exact`, { timeout }, async () => {
  const home = newHome();
  await killBatches({ gateway, workers: [home, home], kills, requests: () => readJournalFile(home.state).requests });
});

test(`${kills} kills: no payment is made twice, and every payment has its entry`, { timeout }, async () => {
  const home = newHome();
  await killCommands({ gateway, workers: [home, home], kills, requests: () => readJournalFile(home.state).requests });
  await expectSound(home.path);
});
