import { createHash } from 'node:crypto';
import { optionalText } from '../columns.js';
import type { Store } from '../store.js';

/** How the callbacks of an order are delivered. Later ones of the same order follow the same script. */
export const scripts = {
  normal: 'once the transaction is final, again until it is answered with 200',
  'before-response': 'when the request is accepted, before its reply is sent',
  twice: 'two times, both with the same fields',
  swapped: 'ten seconds later, and the newest of an order first',
  late: 'an hour later on the sandbox clock',
  'wrong-control': 'with a checksum that does not fit',
  never: 'not at all',
} as const satisfies Record<string, string>;

export type ScriptName = keyof typeof scripts;

export const scriptTables = `
  CREATE TABLE callback_scripts (login TEXT NOT NULL, client_order_id TEXT NOT NULL, script TEXT NOT NULL, PRIMARY KEY (login, client_order_id)) WITHOUT ROWID;
`;

export function isScriptName(word: string): word is ScriptName {
  return Object.hasOwn(scripts, word);
}

/** Sets the script of one order, whether or not that order is there yet. */
export function setScript({ database }: Store, login: string, clientOrderId: string, script: ScriptName): void {
  database.run(
    'INSERT INTO callback_scripts VALUES (?, ?, ?) ON CONFLICT (login, client_order_id) DO UPDATE SET script = excluded.script',
    login,
    clientOrderId,
    script,
  );
}

/** Lets every order without a script of its own draw one, from the seed and its client order id; undefined ends that. */
export function setScriptSeed({ database }: Store, seed: string | undefined): void {
  database.run("DELETE FROM meta WHERE name = 'callback-seed'");
  if (seed !== undefined) database.run("INSERT INTO meta VALUES ('callback-seed', ?)", seed);
}

export function scriptFor({ database }: Store, login: string, clientOrderId: string): ScriptName {
  const row = database.get('SELECT script FROM callback_scripts WHERE login = ? AND client_order_id = ?', login, clientOrderId);
  const own = optionalText(row ?? {}, 'script');
  if (own !== undefined) return isScriptName(own) ? own : 'normal';
  const seed = optionalText(database.get("SELECT value FROM meta WHERE name = 'callback-seed'") ?? {}, 'value');
  return seed === undefined ? 'normal' : drawnScript(seed, clientOrderId);
}

function drawnScript(seed: string, clientOrderId: string): ScriptName {
  const names = Object.keys(scripts).filter(isScriptName);
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, clientOrderId]))
    .digest();
  return names[digest.readUInt32BE(0) % names.length] ?? 'normal';
}
