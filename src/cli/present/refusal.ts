import { controlEncoding, controlRecipe, type Unsigned } from '../../signing/index.js';
import type { Session } from '../session.js';

/** What was signed, with which key, and how to see every byte of it: for a request the gateway refused. */
export function refusalHint(unsigned: Unsigned, session: Session): string {
  const debug = `debug it with \`paycli sign ${unsigned.row.command} --explain\` and the same flags`;
  const { protection, row } = unsigned;
  const key = session.keyName(protection.scheme);
  if (protection.scheme === 'none') return `nothing was signed; see \`paycli recipe ${row.command}\``;
  if (protection.scheme === 'control')
    return `if the control is to blame: it was ${controlRecipe(row, protection.values, controlEncoding(session.assume))}, with ${key} of profile ${session.name}; ${debug}`;
  const method = protection.scheme === 'hmac-sha1' ? 'HMAC-SHA1' : 'RSA-SHA256';
  return `if the signature is to blame: it was OAuth 1.0a ${method} over all fields, with ${key} of profile ${session.name}; ${debug}`;
}
