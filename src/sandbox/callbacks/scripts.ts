import { metaValue, type Store, setMeta } from '../store.js';
import { key, Table, text } from '../table.js';

/** How the callbacks of an order are delivered. Later ones of the same order follow the same script. */
export const scripts = {
  normal: 'once the transaction is final, retried until answered with 200',
  'before-response': 'when the request is accepted, before its reply is sent',
  twice: 'twice, with the same fields',
  swapped: 'ten seconds late, the newest of an order first',
  late: 'an hour late on the sandbox clock',
  again: 'twice, a second apart, as if the answer to the first had been lost',
  'wrong-control': 'with a wrong checksum (control)',
  forged: 'once accepted, an approval with a wrong checksum (control); the real one follows',
  altered: 'with a status other than the one its checksum (control) covers',
  'other-order': 'once accepted, the approval of another order; the real one follows',
  never: 'not at all',
} as const satisfies Record<string, string>;

export type ScriptName = keyof typeof scripts;

export const callbackScripts = new Table('callback_scripts', { login: key, clientOrderId: key, script: text });

export function isScriptName(word: string | undefined): word is ScriptName {
  return word !== undefined && Object.hasOwn(scripts, word);
}

/** Sets the script of one order, which need not exist yet. */
export function setScript(store: Store, login: string, clientOrderId: string, script: ScriptName): void {
  callbackScripts.insert(store, { login, clientOrderId, script }, 'REPLACE');
}

/** Sets the script of every order that has none of its own; undefined ends that. */
export function setScriptForAll(store: Store, script: ScriptName | undefined): void {
  setMeta(store, 'callback-script', script);
}

export function scriptFor(store: Store, login: string, clientOrderId: string): ScriptName {
  const own = callbackScripts.get(store, 'WHERE login = ? AND client_order_id = ?', login, clientOrderId)?.script;
  const chosen = own ?? metaValue(store, 'callback-script');
  return isScriptName(chosen) ? chosen : 'normal';
}
