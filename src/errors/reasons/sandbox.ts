import { defineReasons } from './reason.js';

/** Of the sandbox. */
export const sandboxReasons = defineReasons(() => ({
  certifyWithoutCommand: {
    code: 'USAGE',
    why: 'write `certify -- COMMAND` with the command that pays one order after --, or `certify --serve`',
  },
  scenarioUnknown: { code: 'USAGE', why: 'there is no scenario {name}{hint}' },
  tagUnknown: { code: 'USAGE', why: 'no scenario has the tag {name}{hint}' },
  noScenarioChosen: { code: 'USAGE', why: 'no scenario is in both --only and --tag' },
  baselineUnreadable: { code: 'USAGE', why: '{file} is not a result of `certify --json`: {why}' },
  scenarioNotJudged: { code: 'NOT_JUDGED', what: 'scenario {name}' },
  reportNotWritten: { code: 'STORAGE', how: 'name another file with {flag}' },
  handlerNoAddress: { code: 'USAGE', why: '--handler: use an http address such as http://127.0.0.1:3000/callback' },
  durationNotOfForm: { code: 'USAGE', why: 'the sandbox clock takes {form}' },
  momentNotOfForm: { code: 'USAGE', why: 'the sandbox clock takes a time such as 2030-01-31T12:00:00Z (RFC 3339)' },
  clockNeverGoesBack: {
    code: 'USAGE',
    why: 'the sandbox clock is at {now} and cannot go back; `paycli sandbox reset` deletes its orders and resets its clock',
  },
  clockMovedTooFar: { code: 'USAGE', why: 'the clock moves at most ten years at a time' },
  noSuchSandbox: {
    code: 'USAGE',
    why: 'there is no sandbox {name}: `paycli sandbox start` creates it[; on this machine: {others}]',
  },
  merchantExists: {
    code: 'USAGE',
    why: 'this sandbox already has a merchant {login}: `paycli sandbox start --login {login} --endpoint-id {endpoint} --control-key-file FILE` gives it a new control key',
  },
  merchantLoginNotOfForm: { code: 'USAGE', why: 'a login is 1 to 20 letters, digits, - and _' },
  merchantKeyEmpty: { code: 'USAGE', why: 'the control key is empty' },
  endpointOfAnotherMerchant: {
    code: 'USAGE',
    why: 'endpoint {endpoint} of this sandbox belongs to merchant {login}; {free} is free: --endpoint-id {free}',
  },
  builtinHasItsKeys: { code: 'USAGE', why: '{login} already has its own key pair; choose another login' },
  outcomeUnknownHere: { code: 'USAGE', why: '{outcome} is not an outcome{hint}' },
  orderNotOfMerchant: { code: 'USAGE', why: 'this sandbox has no order {order} for that merchant' },
  merchantUnknown: {
    code: 'USAGE',
    why: 'this sandbox has no merchant {login}; `paycli sandbox status` lists the existing ones',
  },
  sandboxOfAnotherVersion: {
    code: 'STORAGE',
    why: 'it was made by another version of paycli',
    how: 'run `paycli sandbox reset --all --name {name}`',
  },
  sandboxNoteUnreadable: { code: 'STORAGE', why: 'it cannot be read', how: 'remove it' },
  sandboxFileReplaced: {
    code: 'STORAGE',
    what: 'the sandbox file',
    why: 'it was replaced by a different file',
    how: 'repeat the command; nothing was sent',
  },
  outputOrJunit: { code: 'USAGE', why: 'use either --output or --junit' },
  sinceNoTime: {
    code: 'USAGE',
    why: '--since: use 2030-01-31, 2030-01-31T12:00:00Z, today or yesterday (UTC), or 7d, 12h, 30m, 90s ago',
  },
  scriptOrSeed: {
    code: 'USAGE',
    why: 'write `paycli sandbox callbacks script NAME --client-order-id ID`, or `--seed TEXT` alone',
  },
  noSuchScript: { code: 'USAGE', why: '{script} is not a script; known: {known}' },
  noSuchMerchant: { code: 'USAGE', why: 'this sandbox has no merchant {merchant}' },
  outcomeNotNamed: { code: 'USAGE', why: '`paycli sandbox outcomes next` takes the name of an outcome{hint}' },
  runWithoutCommand: { code: 'USAGE', why: 'write `sandbox start --run -- COMMAND`, with the command after --' },
  callbackHostInvalid: {
    code: 'USAGE',
    why: '--callback-host: use a host such as app.example or app.example:8080',
  },
  merchantIncomplete: {
    code: 'USAGE',
    why: 'to add your own merchant, give --login, --endpoint-id and --control-key-file',
  },
  noRsaPublicKey: { code: 'KEY_UNUSABLE', why: 'it is not an RSA public key of 2048 bits or more in PEM' },
  noSuchSwitch: {
    code: 'USAGE',
    why: '--assume {setting} is not a known switch and value; see `paycli assumptions list`',
  },
  noWholeNumber: { code: 'USAGE', why: '{flag}: use a whole number from 0 to {most}' },
  listenFlagsAlone: { code: 'USAGE', why: '--forward and --route need --listen' },
}));
