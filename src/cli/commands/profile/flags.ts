import type { Flag } from '../../core/options.js';

export function classFlag(text: string): Flag {
  return ['--class <class>', text, { choices: ['sandbox', 'test', 'live'] }];
}

/** Flags for the settings of a new profile. */
export const valueFlags: readonly Flag[] = [
  ['--base-url <url>', 'base address of the gateway, including any path prefix'],
  ['--login <login>', 'merchant login'],
  ['--endpoint-id <id>', 'endpoint, or endpoint group'],
  [
    '--endpoint <key=id>',
    'another endpoint for a currency or an operation, such as EUR=4002; repeatable',
    { repeated: true },
  ],
  [
    '--control-key-file <file>',
    'read the merchant control key from this file (mode 0600) and store it; - is standard input',
  ],
  ['--control-key-fd <number>', 'read it from an open file descriptor'],
  [
    '--store <store>',
    'where to store the control key: a file of its own beside the configuration (file)',
    { choices: ['file', 'keyring'] },
  ],
  ['--private-key-file <file>', 'the RSA private key (PEM, mode 0600); it stays where it is'],
  ['--passphrase-file <file>', 'the passphrase of that key; it stays where it is'],
  [
    '--max-amount <amount>',
    'largest single payment or return, such as "500.00 EUR"; once per currency',
    { repeated: true },
  ],
  ['--replace', 'change the existing profile; settings not given are kept'],
];
