import type { ReasonRow } from './reason.js';

export const sandboxCommandsReasons = {
  outputOrJunit: { code: 'USAGE', why: 'choose one of --output and --junit' },
  sinceNoTime: {
    code: 'USAGE',
    why: '--since takes a time such as 2030-01-31T12:00:00Z, or how long ago: 90s, 10m, 2h, 1d',
  },
  scriptOrSeed: {
    code: 'USAGE',
    why: 'write `paycli sandbox callbacks script NAME --client-order-id ID`, or `--seed TEXT` alone',
  },
  noSuchScript: { code: 'USAGE', why: '{script} is no script; known: {known}' },
  noSuchMerchant: { code: 'USAGE', why: 'this sandbox has no merchant {merchant}' },
  outcomeNotNamed: { code: 'USAGE', why: '`paycli sandbox outcomes next` takes the name of an outcome{hint}' },
  snapshotNameInvalid: {
    code: 'USAGE',
    why: 'the name of a snapshot has 1 to 40 letters, digits, - and _, and is no key and no card number',
  },
  snapshotIsThere: { code: 'USAGE', why: 'there is a snapshot {snapshot} already; --replace replaces it' },
  noSuchSnapshot: { code: 'USAGE', why: 'there is no snapshot {snapshot}; known: {known}' },
  runWithoutCommand: { code: 'USAGE', why: 'write `sandbox start --run -- COMMAND`, with the command behind --' },
  callbackHostInvalid: {
    code: 'USAGE',
    why: '--callback-host takes a host such as app.example or app.example:8080',
  },
  merchantIncomplete: {
    code: 'USAGE',
    why: 'a merchant of your own needs --login, --endpoint-id and --control-key-file',
  },
  noRsaPublicKey: { code: 'KEY_UNUSABLE', why: 'it is no RSA public key in PEM of 2048 bits or more' },
  noSuchSwitch: {
    code: 'USAGE',
    why: '--assume {setting} is no switch with such a value; see `paycli assumptions list`',
  },
  noWholeNumber: { code: 'USAGE', why: '{flag} takes a whole number from 0 to {most}' },
  listenFlagsAlone: { code: 'USAGE', why: '--forward and --route go with --listen' },
} as const satisfies Record<string, ReasonRow>;
