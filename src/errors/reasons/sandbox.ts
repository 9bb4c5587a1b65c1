import type { ReasonRow } from './reason.js';

export const sandboxReasons = {
  durationNotOfForm: { code: 'USAGE', why: 'a duration is written as 7d, 12h, 30m or 10s' },
  momentNotOfForm: { code: 'USAGE', why: 'a moment is written as 2030-01-31T12:00:00Z (RFC 3339)' },
  clockNeverGoesBack: {
    code: 'USAGE',
    why: 'the sandbox clock stands at {now} and never goes back; `paycli sandbox reset` forgets what happened',
  },
  clockMovedTooFar: { code: 'USAGE', why: 'the clock moves at most ten years at once' },
  merchantExists: { code: 'USAGE', why: 'this sandbox has a merchant {login} already' },
  merchantLoginNotOfForm: { code: 'USAGE', why: 'a login has 1 to 20 letters, digits, - and _' },
  merchantKeyEmpty: { code: 'USAGE', why: 'the control key is empty' },
  endpointOfAnotherMerchant: { code: 'USAGE', why: 'endpoint {endpoint} of this sandbox belongs to {login}' },
  builtinHasItsKeys: { code: 'USAGE', why: '{login} has a key pair of its own; choose another login' },
  outcomeUnknownHere: { code: 'USAGE', why: '{outcome} is no outcome{hint}' },
  orderNotOfMerchant: { code: 'USAGE', why: 'this sandbox has no order {order} of that merchant' },
  merchantUnknown: {
    code: 'USAGE',
    why: 'this sandbox has no merchant {login}; `paycli sandbox status` lists those there are',
  },
  sandboxOfAnotherVersion: {
    code: 'STORAGE',
    why: 'another version of paycli made it',
    how: 'run `paycli sandbox reset --all`',
  },
  snapshotTablesDiffer: {
    code: 'STORAGE',
    what: 'the snapshot',
    why: 'its tables are not those of a sandbox',
    how: 'nothing was changed; save a new one',
  },
  sandboxNoteUnreadable: { code: 'STORAGE', why: 'it cannot be read', how: 'remove it' },
  sandboxFileReplaced: {
    code: 'STORAGE',
    what: 'the sandbox file',
    why: 'it was replaced by another one',
    how: 'repeat the command; nothing was sent',
  },
} as const satisfies Record<string, ReasonRow>;
