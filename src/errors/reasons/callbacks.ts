import { defineReasons } from './reason.js';

const callbacksStopped =
  'no callback was accepted or answered, so the gateway sends each again; everything except callbacks still works. Make the file readable by you, or restore it from a backup; if you move it away, a new key is made, and older callbacks are listed but not readable until the line with their key is back in the file';

/** Of callbacks and their listener. */
export const callbacksReasons = defineReasons(() => ({
  routeNotOfForm: { code: 'USAGE', why: '--route is written as "type=reversal -> http://127.0.0.1:3000/reversals"' },
  handlerAddressNotOfForm: {
    code: 'USAGE',
    why: '{flag} needs an http or https address such as http://127.0.0.1:3000/callback',
  },
  listenAddressNotHere: {
    code: 'USAGE',
    why: 'this machine has no address {host}; use 127.0.0.1 or another of its own addresses',
  },
  callbackKeysDamaged: {
    code: 'STORAGE',
    why: 'it is damaged: not every line of it is a key for stored callbacks',
    how: callbacksStopped,
  },
  callbackKeysUnusable: {
    code: 'STORAGE',
    why: 'the key of stored callbacks cannot be read or written there',
    how: callbacksStopped,
  },
  listenRunForm: { code: 'USAGE', why: 'write `callback listen --run -- COMMAND`, with the command after --' },
  runSaysHowLong: {
    code: 'USAGE',
    why: 'with --run the listener stops when the command ends: omit --exit-after and --timeout',
  },
  noCallbackInTime: {
    code: 'NO_CALLBACK',
    why: '{received} received within {seconds} s',
    how: 'check that the request named this address with --server-callback-url or --notify-url; `paycli status ORDER --wait` queries the outcome instead',
  },
  answerNeedsHandler: { code: 'USAGE', why: '--answer-with-handler needs --forward or --route' },
  listenHost: { code: 'USAGE', why: '--host: use an address of this machine, such as 127.0.0.1 or 0.0.0.0' },
  listenPath: { code: 'USAGE', why: '--path: use a path such as /callback' },
  callbackNotNamed: {
    code: 'USAGE',
    why: 'no callback is named; give its number, as in `paycli {command} 1`; `paycli callback list` lists them',
  },
  noSuchCallback: { code: 'USAGE', why: 'there is no callback {id}; `paycli callback list` shows their numbers' },
  callbackKeyMissing: {
    code: 'STORAGE',
    what: 'callback {id}',
    why: 'the key it was encrypted with is missing',
    how: 'nothing was sent; put the line with the older key back into {file}, before the last one, or ask the gateway to send the callback again',
  },
  neverForwarded: {
    code: 'USAGE',
    why: 'it was never forwarded, so name the destination: --to http://127.0.0.1:3000/callback',
  },
  handlerMissing: { code: 'USAGE', why: 'name the destination: --to http://127.0.0.1:3000/callback' },
  madeUpCallbackOnLive: {
    code: 'LIVE_GUARD',
    why: 'callback send simulates a message from the gateway',
    how: 'choose a test profile or the sandbox',
  },
  callbackFieldUnknown: {
    code: 'USAGE',
    why: '--set: use field=value with one of {known}; the checksum (control) is added automatically',
  },
  callbackFieldMissing: { code: 'USAGE', why: 'missing for the checksum of the callback: {fields}; add {flags}' },
}));
