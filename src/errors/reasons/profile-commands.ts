import type { ReasonRow } from './reason.js';

export const profileCommandsReasons = {
  keyInTheWay: {
    code: 'USAGE',
    why: '{place} holds a key already, though no profile names it; --replace overwrites it',
  },
  passphraseWithoutKey: { code: 'USAGE', why: '--passphrase-file goes with --private-key-file' },
  keyNotFromFile: {
    code: 'USAGE',
    why: 'the private key and its passphrase stay in files of their own, so - is no place for them',
  },
  removalNeedsYes: {
    code: 'CONFIRMATION_NEEDED',
    why: 'removing {what} needs a yes, and there is no terminal to ask on',
    how: 'add --yes if that is meant',
  },
  removalDeclined: { code: 'CONFIRMATION_NEEDED', why: 'nothing was removed', how: 'the answer was no' },
} as const satisfies Record<string, ReasonRow>;
