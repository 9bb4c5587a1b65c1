import type { OauthCase, OauthTheirs } from '../../signing/diagnose/index.js';
import { keyFingerprint, rsaFingerprint, type Unsigned } from '../../signing/index.js';
import type { Compared } from '../present/diagnosis.js';
import { recipeWords } from '../present/signature-recipe.js';
import type { Session } from '../session.js';

/** What a comparison was about, for its report. */
export interface Comparison extends Compared {
  /** Further keys of the JSON document. */
  readonly document: Readonly<Record<string, unknown>>;
  /** True where card data may be seen. */
  readonly open: boolean;
}

/** A request given by hand. */
export function rawComparison({ method, url, signatureMethod, ...keys }: OauthCase, theirs?: OauthTheirs): Comparison {
  const { secret, privateKey, publicKey } = keys;
  const rsa = privateKey ?? publicKey;
  const fingerprint = rsa === undefined ? keyFingerprint(secret ?? '') : rsaFingerprint(rsa);
  return {
    what: theirs !== undefined && 'baseString' in theirs ? 'base string' : 'signature',
    facts: [
      ['request', `${method} ${url}`],
      ['recipe', `OAuth 1.0a ${signatureMethod} over address, query and body`],
      ['key', `fingerprint ${fingerprint}`],
    ],
    checks: [
      'method, address, nonce, timestamp and every field are those of the refused request',
      `the key is the one the other side has: fingerprint ${fingerprint}`,
      'the text that was signed, if you can log it: `paycli sign diff … --theirs-base-string FILE` shows the first byte that differs',
    ],
    document: {},
    open: false,
  };
}

/** A request of an operation. Unless `key` names another one, the key of the session must have been read. */
export function operationComparison({ row, protection }: Unsigned, session: Session, key?: string): Comparison {
  const used = key ?? `${session.keyName(protection.scheme)} of profile ${session.name}`;
  const recipe = recipeWords(row, protection, session.assume);
  const isControl = protection.scheme === 'control';
  const flag = isControl ? '--theirs-string' : '--theirs-base-string';
  return {
    what: isControl ? 'control' : 'signature',
    facts: [
      ['operation', `${row.command} (${row.id})`],
      ['recipe', recipe],
      ['key', used],
    ],
    checks: [
      `the order ids, the amount and every other field are those of the refused request${isControl ? '' : ', nonce and timestamp too'}`,
      `the key is the one the gateway has for this endpoint: ${used}`,
      `the text that was signed, if you can log it: \`paycli sign diff ${row.command} … ${flag} FILE\` shows the first byte that differs`,
      `every stage of ours: \`paycli sign ${row.command} … --explain\``,
    ],
    document: { operation: row.id, profile: session.name, scheme: protection.scheme, recipe, key: used },
    open: session.class === 'sandbox',
  };
}
