import type { ReasonRow } from './reason.js';

export const callbackCommandsReasons = {
  listenRunForm: { code: 'USAGE', why: 'write `callback listen --run -- COMMAND`, with the command behind --' },
  runSaysHowLong: { code: 'USAGE', why: 'with --run the command says how long: leave --exit-after and --timeout out' },
  answerNeedsHandler: { code: 'USAGE', why: '--answer-with-handler needs --forward or --route' },
  listenHost: { code: 'USAGE', why: '--host takes an address of this machine, such as 127.0.0.1 or 0.0.0.0' },
  listenPath: { code: 'USAGE', why: '--path takes a path such as /callback' },
  noSuchCallback: { code: 'USAGE', why: 'there is no callback {id}; `paycli callback list` shows their numbers' },
  callbackKeyMissing: {
    code: 'STORAGE',
    what: 'callback {id}',
    why: 'the key that sealed it is not here',
    how: `nothing was sent; put the line with the older key back into {file}, before the last one, or ask the gateway \
to send the callback again`,
  },
  neverForwarded: {
    code: 'USAGE',
    why: 'it was never forwarded, so say where to: --to http://127.0.0.1:3000/callback',
  },
  callbackOrderMissing: { code: 'USAGE', why: 'name the order: --order ID or --client-order-id ID' },
  handlerMissing: { code: 'USAGE', why: 'say where to: --to http://127.0.0.1:3000/callback' },
  madeUpCallbackOnLive: {
    code: 'LIVE_GUARD',
    why: 'callback send makes up what a gateway says',
    how: 'choose a test profile or the sandbox',
  },
  callbackFieldUnknown: {
    code: 'USAGE',
    why: '--set takes field=value with one of {known}; the control is made here',
  },
  callbackFieldMissing: { code: 'USAGE', why: 'nobody knows {fields}: add {flags}' },
} as const satisfies Record<string, ReasonRow>;
