import type { ReasonRow } from './reason.js';

export const initReasons = {
  sandboxNeedsNoProfile: {
    code: 'USAGE',
    why: 'the sandbox in the box has a login and keys of its own and needs no profile: leave out the other flags',
  },
  makeOrNameKey: {
    code: 'USAGE',
    why: `--generate-key makes a key, and --private-key-file names one: take one of \
them`,
  },
  supportTextNeedsKey: {
    code: 'USAGE',
    why: '--support-text is about an RSA key: add --generate-key or --private-key-file',
  },
  supportTextTaken: { code: 'USAGE', why: '--support-text names a file that is there already: choose another name' },
  setupDeclined: { code: 'CONFIRMATION_NEEDED', why: 'nothing was written', how: 'the answer was no' },
} as const satisfies Record<string, ReasonRow>;
