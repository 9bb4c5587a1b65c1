import type { Unsigned } from '../../signing/index.js';
import type { Session } from '../session.js';
import { recipeWords } from './signature-recipe.js';

/** What was signed, with which key, and how to see every byte of it: for a request the gateway refused. */
export function refusalHint({ row, protection }: Unsigned, session: Session): string {
  const { scheme } = protection;
  const isByHand = row.id === 'REQUEST';
  if (scheme === 'none')
    return `nothing was signed; ${isByHand ? 'look at the path, --scheme and the fields' : `see \`paycli recipe ${row.command}\``}`;
  const [what, flag] = scheme === 'control' ? ['control', '--theirs-control'] : ['signature', '--theirs-signature'];
  const made = `it was ${recipeWords(row, protection, session.assume)}, with ${session.keyName(scheme)} of profile ${session.name}`;
  if (isByHand)
    return `if the ${what} is to blame: ${made}; \`paycli ${row.command} --dry-run\` with the same flags shows every byte of it`;
  const debug = `debug it with \`paycli sign ${row.command} --explain\` and the same flags`;
  const compare = `where another client's ${what} is accepted, \`paycli sign diff ${row.command} … ${flag} VALUE\` names the difference`;
  return `if the ${what} is to blame: ${made}; ${debug}; ${compare}`;
}
