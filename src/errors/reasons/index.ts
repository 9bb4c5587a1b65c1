import { batchReasons } from './batch.js';
import { batchBindingReasons } from './batch-binding.js';
import { batchCommandsReasons } from './batch-commands.js';
import { batchEngineReasons } from './batch-engine.js';
import { callbacksReasons } from './callbacks.js';
import { endingsReasons } from './endings.js';
import { fieldsReasons } from './fields.js';
import { journalReasons } from './journal.js';
import { keysReasons } from './keys.js';
import { paymentsReasons } from './payments.js';
import { runtimeReasons } from './runtime.js';
import { sandboxReasons } from './sandbox.js';
import { setupReasons } from './setup.js';
import { signingReasons } from './signing.js';
import { threedsReasons } from './threeds.js';
import { usageReasons } from './usage.js';
import { wireReasons } from './wire.js';

const everyReason = () => ({
  ...batchReasons(),
  ...batchBindingReasons(),
  ...batchCommandsReasons(),
  ...batchEngineReasons(),
  ...callbacksReasons(),
  ...endingsReasons(),
  ...fieldsReasons(),
  ...journalReasons(),
  ...keysReasons(),
  ...paymentsReasons(),
  ...runtimeReasons(),
  ...sandboxReasons(),
  ...setupReasons(),
  ...signingReasons(),
  ...threedsReasons(),
  ...usageReasons(),
  ...wireReasons(),
});

type Reasons = ReturnType<typeof everyReason>;
export type Reason = keyof Reasons;
/** The texts of one reason. */
export type ReasonTexts<Name extends Reason> = Reasons[Name];

let made: Reasons | undefined;

/**
 * Every reason by its name. Names are unique across areas; a test checks that. Made at the first error, since so many
 * texts cost start-up time.
 */
export function reasons(): Reasons {
  made ??= everyReason();
  return made;
}
