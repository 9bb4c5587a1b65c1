import { compose } from '../../payments/compose.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Operation } from '../../spec/index.js';
import { type Language, languages } from '../code/languages.js';
import { trial } from '../code/lead.js';
import { planCode } from '../code/plan.js';
import type { Typed } from '../options.js';
import { announce, resolveFields } from '../resolve.js';
import { withSession } from '../with-session.js';

/** Prints a program that signs and sends this request by itself. No key is read for it. */
export async function runSignCode(language: Language, row: Operation, typed: Typed, runtime: Runtime): Promise<number> {
  return withSession(typed.options, runtime, async (session, report) => {
    const resolved = await resolveFields(row, typed, session, runtime);
    const unsigned = compose(row, resolved.values, resolved.extra, session.target(resolved.endpointId));
    announce(resolved, report);
    const { write, interpreter, file } = languages[language];
    const run = `${interpreter} ${file}`;
    const plan = planCode(unsigned, session);
    if (session.builtin) report.notes([`saved as ${file} it can be tried with: ${trial(plan, run)}`]);
    const program = write(plan, run);
    await report.show({
      document: { schema: 'paycli.code/1', operation: row.id, profile: session.name, language, program },
      text: () => program,
    });
    return 0;
  });
}
