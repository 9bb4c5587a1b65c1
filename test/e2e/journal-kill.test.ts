// @module-tag openssl
import { afterAll, beforeAll, test } from 'vitest';
import { readJournalFile } from '../support/journal-file.js';
import { expectSound } from '../support/user-journal.js';
import { Home } from './home.js';
import { killCommands } from './killed-commands.js';
import { type Gateway, profileText, startGateway } from './shop.js';

// Two kills in a quick run; JOURNAL_KILLS=300 for a long one.
const kills = Number(process.env['JOURNAL_KILLS'] ?? 2);

let gateway: Gateway;
let home: Home;

beforeAll(async () => {
  // A20: a second sale with the same id is a second payment, so that only the journal stands between a kill and a
  // duplicate.
  gateway = await startGateway(['--settle-ms', '0', '--assume', 'duplicate-order-id=pay']);
  // Of class sandbox, so that questions about an unknown outcome take no minutes.
  const profile = profileText('shop', gateway.url, gateway.keys).replace('class: test', 'class: sandbox');
  home = new Home(`default-profile: shop\nprofiles:\n${profile}`);
}, 60_000);

afterAll(async () => {
  home.remove();
  await gateway.close();
});

test(`${kills} kills: no payment is made twice, and every payment has its entry`, {
  timeout: 60_000 + kills * 3000,
}, async () => {
  await killCommands({ gateway, workers: [home, home], kills, requests: () => readJournalFile(home.state).requests });
  await expectSound(home.path);
});
