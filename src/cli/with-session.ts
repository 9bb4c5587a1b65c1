import { isPaycliError, thenClose } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { openSession } from './open-session.js';
import type { CommonOptions } from './options.js';
import { Reporter } from './reporter.js';
import type { Session } from './session.js';

/** Opens the connection for one command, says what is worth a line about it, and closes it afterwards. */
export async function withSession<T>(
  options: CommonOptions,
  runtime: Runtime,
  use: (session: Session, report: Reporter) => Promise<T>,
): Promise<T> {
  const session = await openSession(options, runtime);
  const report = new Reporter(options, session, runtime);
  try {
    return await thenClose(
      () => {
        report.notes(session.notes);
        return use(session, report);
      },
      () => session.close(),
    );
  } catch (error) {
    if (isPaycliError(error) && session.output !== undefined) error.form = session.output;
    throw error;
  }
}
