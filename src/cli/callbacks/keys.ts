import type { CallbackKey } from '../../callbacks/verify.js';
import { readSecret } from '../../config/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Reporter } from '../reporter.js';
import type { Session } from '../session.js';

/** The control key of the profile, and older ones that still count while keys are changed. Throws SECRET_UNREADABLE. */
export async function readKeys(session: Session, oldFiles: readonly string[], report: Reporter, runtime: Runtime): Promise<CallbackKey[]> {
  const current = session.canAskStatus ? (await session.credentials({ scheme: 'control', values: [] })).controlKey : undefined;
  const keys: CallbackKey[] = current === undefined ? [] : [{ name: 'the control key', key: current }];
  for (const path of oldFiles) {
    const { secret, warning } = await readSecret({ kind: 'file', path, origin: 'flag --old-control-key-file' }, runtime);
    if (warning !== undefined) report.warn([warning]);
    keys.push({ name: 'an old control key', key: secret });
  }
  return keys;
}
