import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { helpTopic, topicNames } from '../../src/cli/docs/topics.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Words of the README or a help topic that promise safety, and the test, by file and title, that proves them. */
const sentences: readonly (readonly [sentence: string, file: string, title: string])[] = [
  [
    'until `paycli config trust FILE`',
    'security/project-files',
    'may set four texts and no other default, by any spelling of its name',
  ],
  [
    'another user owns or can write, or one in such a folder, is refused (exit 3)',
    'security/project-files',
    'whoever may write a configuration file',
  ],
  [
    'until then it cannot choose a live profile',
    'security/live-profile',
    'a project file nobody vouched for cannot choose one',
  ],
  ['Configuration is never executed', 'config/hostile', 'nothing in a hostile folder is run or followed'],
  ['The scripts never run what is typed', 'completions/completions', 'a TAB runs nothing'],
  [
    'after a statement of what is paid, to whom, through which gateway',
    'security/live-question',
    'asked at a terminal',
  ],
  ['they get the statement on standard error', 'security/live-question', 'a script has the same on standard error'],
  ['on standard error, also with --quiet', 'security/live-question', 'a script has it of %s also with --quiet'],
  [
    'are your files, mode 0600, and refused once others may read or write them',
    'security/storage',
    'that others may read or write is refused',
  ],
  ['and are refused once others may write to them', 'security/storage', 'where others could put another journal'],
  ['may be readable (mode 755;', 'security/storage', 'with a state folder that others may only read, all is as usual'],
  ['as is the folder of a key that everyone may write to', 'config/secrets', 'a secret file that $what is refused'],
  [
    'ids outside their alphabet are shown, never put into a command',
    'security/suggested-commands',
    'is one word to a shell, whatever it holds',
  ],
  [
    'its text cannot begin a line, move the cursor',
    'security/hostile-corpus',
    'no text of a gateway steers a terminal or forges a line',
  ],
  ['redirects are not followed', 'security/hostile-corpus', 'no address is followed'],
  [
    'journal, sandbox and plans hold the last four digits of a card',
    'security/card-numbers',
    'leaves no trace of the digits between the first six and the last four',
  ],
  [
    'callback contents are encrypted with callback-seal.key',
    'security/callback-seal',
    'show nothing of what came in any file of the state folder',
  ],
  [
    '`callback-seal.key` in the configuration folder decrypts them',
    'security/callback-seal',
    'have a key of mode 0600 in the configuration folder',
  ],
  ['again, byte for byte', 'security/callback-seal', 'are replayed byte for byte'],
  [
    'without it new callbacks are stored under a new key',
    'security/callback-seal',
    'loses no new callback: another key is made',
  ],
  ['a callback alone proves nothing', 'cli/callback', 'a callback moves the journal only through status'],
  [
    '`paycli journal adopt --after-restore` queries the gateway first',
    'security/journal-missing',
    'is refused, and its open entries are asked about before anything else',
  ],
  [
    'When the journal is missing, empty or an older copy, nothing is sent (exit 13)',
    'security/journal-missing',
    'the same command sends nothing, exit 13, until it was adopted',
  ],
  [
    '`planned, not_sent or refused`',
    'cli/journal',
    'after a definite refusal or a failure before the network sends a new attempt',
  ],
  [
    'queries the gateway for the outcome, and never sends',
    'cli/live-caps',
    'never refuses the same command again, which only asks',
  ],
  [
    'on every command that queries or sends with a live profile',
    'cli/live',
    'is refused without --live on that command line',
  ],
  ['Scripts give `--confirm-login LOGIN`', 'cli/live', 'moves money only with the login typed, or --confirm-login'],
  [
    'as a flag value it is refused before anything is read',
    'cli/live',
    'refuses card data on the command line, under any spelling',
  ],
  ['required for a new order without a terminal', 'cli/live', 'refuses test cards and made-up order ids in scripts'],
  ['Every command still needs --live', 'cli/live-lease', 'never goes without --live'],
  ['caps still apply', 'cli/live-lease', 'leaves the caps of the profile in force'],
  [
    'A currency that a cap does not name is refused',
    'cli/live-caps',
    'refuses a currency it does not name, and names it',
  ],
  ['Days are in UTC', 'cli/live-caps', 'starts anew at 00:00 UTC'],
  ['declined, refused and unsent ones do not', 'cli/live-caps', 'leaves out what was refused or not sent'],
  ['no other source is tried', 'config/programs', 'is an error and never the next source'],
  [
    'A helper is allowed only in the user file',
    'config/programs',
    'a project file never names a helper, trusted or not',
  ],
  ['runs without a shell', 'config/programs', 'a helper gets no variable of paycli, no shell'],
  ['has 10 seconds to end', 'config/programs', 'a helper that hangs is killed after 10 seconds'],
  ['The keyring has 3 seconds to answer', 'config/programs', 'a keyring that hangs is given up on after 3 seconds'],
  [
    'A request cannot be settled manually while the process that sent it is running',
    'cli/settled-manually',
    'settling by hand while the sender lives',
  ],
  [
    'a typed --approved-by is not enough there',
    'security/resend-approval',
    'takes no typed name: it says which command asks for a signature',
  ],
  [
    'Requester and approver need different keys and different system user ids',
    'security/resend-approval',
    'does not go by a signature that names %s, whatever made it',
  ],
  ['valid for 24 hours, for this unchanged entry', 'security/resend-approval', 'is allowed for exactly one attempt'],
  ['the owner can stop a batch', 'security/batch-owner', 'the owner of the tables, without the key'],
];

const plain = (text: string) => text.replaceAll('`', '').replace(/\s+/g, ' ').toLowerCase();
const texts = [readFileSync(join(root, 'README.md'), 'utf8'), ...topicNames.map((name) => helpTopic(name) ?? '')].map(
  plain,
);

test.each(sentences)('%s', (sentence, file, title) => {
  expect(
    texts.some((text) => text.includes(plain(sentence))),
    'the sentence stands in the README or a help topic',
  ).toBe(true);
  const lines = readFileSync(join(root, 'test', `${file}.test.ts`), 'utf8').split('\n');
  // A title, or the name of a case that stands in one.
  const titles = lines.filter((line) => /\b(?:test|describe)\b|[\])]\(|^\s*\[?['"`]/.test(line));
  expect(titles.filter((line) => line.includes(title)).length, `the test stands in ${file}.test.ts`).toBeGreaterThan(0);
});

test('the table has every promise once', () => {
  expect(sentences.length).toBeGreaterThanOrEqual(37);
  expect(new Set(sentences.map(([sentence]) => sentence)).size).toBe(sentences.length);
});
