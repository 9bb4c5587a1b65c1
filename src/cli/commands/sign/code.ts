import { compose } from '../../../payments/compose.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Operation } from '../../../spec/index.js';
import { journalAlone } from '../../core/follow-up-order.js';
import { withSession } from '../../core/open-session.js';
import type { Typed } from '../../core/options.js';
import { announce, resolveFields } from '../../core/resolve-fields.js';
import { phpProgram } from './code/php.js';
import { type CodePlan, planCode, sandboxTrial } from './code/plan.js';
import { pythonProgram } from './code/python.js';
import { shellScript } from './code/shell.js';

/**
 * Every language a request can be written out in, by the command that does it, with what runs it under the name it is
 * saved as.
 */
export const languages = {
  curl: { write: shellScript, interpreter: 'sh', file: 'request.sh' },
  php: { write: phpProgram, interpreter: 'php', file: 'request.php' },
  python: { write: pythonProgram, interpreter: 'python3', file: 'request.py' },
} as const satisfies Record<
  string,
  { readonly write: (plan: CodePlan, run: string) => string; readonly interpreter: string; readonly file: string }
>;

export type Language = keyof typeof languages;

/** Prints a program that signs and sends this request by itself. No key is read for it. */
export async function runSignCode(language: Language, row: Operation, typed: Typed, runtime: Runtime): Promise<number> {
  return withSession(typed.options, runtime, async (session, report) => {
    const resolved = await resolveFields(row, typed, session, runtime, journalAlone);
    const unsigned = compose(row, resolved.values, resolved.extra, session.target(resolved.endpointId));
    announce(resolved, report);
    const { write, interpreter, file } = languages[language];
    const run = `${interpreter} ${file}`;
    const plan = planCode(unsigned, session);
    if (session.builtin) report.notes([`saved as ${file} it can be tried with: ${sandboxTrial(plan, run)}`]);
    const program = write(plan, run);
    await report.show({
      isExact: true,
      document: { schema: 'paycli.code/1', operation: row.id, profile: session.name, language, program },
      text: () => program,
    });
    return 0;
  });
}
