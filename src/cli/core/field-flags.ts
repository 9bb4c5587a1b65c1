import { fail, suggest } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Operation } from '../../spec/index.js';
import { fieldsInForce } from '../../wire/check.js';
import type { Pair } from '../../wire/form.js';
import type { CollectedFields } from './collected-fields.js';
import { flagOf } from './flags.js';
import type { Typed } from './options.js';
import type { Session } from './session.js';
import { unusedReason } from './unused-fields.js';

/**
 * Adds the values of --field to the fields of the row; returns the pairs that match no field. Mistakes are collected.
 */
export async function readFieldFlags(
  row: Operation,
  typed: Typed,
  session: Session,
  collected: CollectedFields,
  runtime: Runtime,
): Promise<readonly Pair[]> {
  const extra: Pair[] = [];
  for (const text of typed.options.field ?? []) {
    const name = text.slice(0, Math.max(0, text.indexOf('=')));
    const known = fieldsInForce(row, session.assume).find(
      ([key, field]) => field.wire === name || flagOf(key) === `--${name}`,
    )?.[0];
    await collected.collectError(known === undefined ? [] : [known], () => {
      if (name === '') throw fail('fieldFlagWithoutName', { command: row.command });
      // Of two values, which one is meant is unclear.
      if (known !== undefined && collected.origins[known] === `flag --field ${name}`)
        throw fail('fieldFlagGivenTwice', { name, command: row.command });
      const rawValue = text.slice(name.length + 1);
      const value = rawValue.startsWith('@') ? readValueFile(rawValue.slice(1), name, row.command, runtime) : rawValue;
      if (known !== undefined && known !== 'login') {
        if (value === '') throw fail('nameEmpty', { name: `--field ${name}`, command: row.command });
        const before = collected.values[known];
        if (before !== undefined && before !== value)
          throw fail('fieldGivenTwice', { name, other: collected.origins[known] ?? '', command: row.command });
        collected.add(known, value, `flag --field ${name}`);
      } else if (known === 'login') throw fail('loginIsNoField', { command: row.command });
      else if (typed.options.allowUnknownField === true) extra.push([name, value]);
      else throw unknownField(row, name, session);
    });
  }
  return extra;
}

function unknownField(row: Operation, name: string, session: Session): Error {
  if (name === 'login') return fail('loginIsNoField', { command: row.command });
  if (name === 'control' || name.startsWith('oauth_')) return fail('fieldMadeByPaycli', { name, command: row.command });
  const key = Object.entries(row.fields).find(([each, { wire }]) => wire === name || flagOf(each) === `--${name}`)?.[0];
  const unused = key === undefined ? undefined : unusedReason(row, key, session.assume);
  if (unused !== undefined) return fail('fieldOutOfForce', { name, unused, command: row.command });
  const hint = suggest(
    name,
    fieldsInForce(row, session.assume).map(([, field]) => field.wire),
    '.',
  );
  return fail('fieldUnknown', { name: name.slice(0, 40), hint, command: row.command });
}

function readValueFile(path: string, name: string, command: string, runtime: Runtime): string {
  try {
    return runtime.files.readText(path).replace(/\r?\n$/, '');
  } catch (cause) {
    throw fail('fieldFileUnreadable', { name, path, command }, { cause });
  }
}
