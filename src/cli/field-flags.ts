import { fail, suggest } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import type { Operation } from '../spec/index.js';
import { fieldsInForce } from '../wire/check.js';
import type { Pair } from '../wire/form.js';
import type { Collected } from './collected.js';
import { flagOf } from './flags.js';
import type { Typed } from './options.js';
import type { Session } from './session.js';
import { emptyWhy, whyUnused } from './unused.js';

/** What --field gives to fields of the row; the pairs that no field has come back. A mistake is kept with the others. */
export async function readFieldFlags(
  row: Operation,
  typed: Typed,
  session: Session,
  collected: Collected,
  runtime: Runtime,
): Promise<readonly Pair[]> {
  const extra: Pair[] = [];
  for (const text of typed.options.field ?? []) {
    const name = text.slice(0, Math.max(0, text.indexOf('=')));
    const known = fieldsInForce(row, session.assume).find(([key, field]) => field.wire === name || flagOf(key) === `--${name}`)?.[0];
    await collected.heed(known === undefined ? [] : [known], () => {
      if (name === '') throw fail('USAGE', { why: '--field needs name=value', command: row.command });
      // Which of two amounts is meant, nobody can say.
      if (known !== undefined && collected.origins[known] === `flag --field ${name}`)
        throw fail('USAGE', { why: `--field ${name} is given twice`, command: row.command });
      const given = text.slice(name.length + 1);
      const value = given.startsWith('@') ? readValueFile(given.slice(1), name, row.command, runtime) : given;
      if (known !== undefined && known !== 'login') {
        if (value === '') throw fail('USAGE', { why: emptyWhy(`--field ${name}`), command: row.command });
        const before = collected.values[known];
        if (before !== undefined && before !== value)
          throw fail('USAGE', {
            why: `--field ${name} and the ${collected.origins[known]} give different values; give one`,
            command: row.command,
          });
        collected.add(known, value, `flag --field ${name}`);
      } else if (known === 'login') throw fail('USAGE', { why: loginWhy, command: row.command });
      else if (typed.options.allowUnknownField === true) extra.push([name, value]);
      else throw unknownField(row, name, session);
    });
  }
  return extra;
}

const loginWhy = 'the login comes from the profile: use --login to name another, or set it in the profile';

function unknownField(row: Operation, name: string, session: Session): Error {
  if (name === 'login') return fail('USAGE', { why: loginWhy, command: row.command });
  if (name === 'control' || name.startsWith('oauth_'))
    return fail('USAGE', { why: `paycli makes ${name} itself; \`paycli sign ${row.command} --explain\` shows how`, command: row.command });
  const key = Object.entries(row.fields).find(([each, { wire }]) => wire === name || flagOf(each) === `--${name}`)?.[0];
  const unused = key === undefined ? undefined : whyUnused(row, key, session.assume);
  if (unused !== undefined) return fail('USAGE', { why: `--field ${name}: ${unused}`, command: row.command });
  const hint = suggest(
    name,
    fieldsInForce(row, session.assume).map(([, field]) => field.wire),
    '.',
  );
  const why = `${row.command} has no field ${name.slice(0, 40)}${hint} Add --allow-unknown-field to send it anyway`;
  return fail('USAGE', { why, command: row.command });
}

function readValueFile(path: string, name: string, command: string, runtime: Runtime): string {
  try {
    return runtime.files.readText(path).replace(/\r?\n$/, '');
  } catch (cause) {
    const why = `--field ${name}: the file ${path} cannot be read as UTF-8 text`;
    throw fail('USAGE', { why, command }, { cause });
  }
}
