import { assumptionsCommandsReasons } from './assumptions-commands.js';
import { batchReasons } from './batch.js';
import { batchBindingReasons } from './batch-binding.js';
import { batchCommandsReasons } from './batch-commands.js';
import { batchEngineReasons } from './batch-engine.js';
import { callbackCommandsReasons } from './callback-commands.js';
import { callbacksReasons } from './callbacks.js';
import { commandsReasons } from './commands.js';
import { configReasons } from './config.js';
import { fieldsReasons } from './fields.js';
import { initReasons } from './init.js';
import { journalReasons } from './journal.js';
import { journalCommandsReasons } from './journal-commands.js';
import { keysReasons } from './keys.js';
import { liveReasons } from './live.js';
import { operationCommandsReasons } from './operation-commands.js';
import { paymentsReasons } from './payments.js';
import { profileCommandsReasons } from './profile-commands.js';
import { runtimeReasons } from './runtime.js';
import { sandboxReasons } from './sandbox.js';
import { sandboxCommandsReasons } from './sandbox-commands.js';
import { secretsReasons } from './secrets.js';
import { signCommandsReasons } from './sign-commands.js';
import { signingReasons } from './signing.js';
import { supportReasons } from './support.js';
import { threedsReasons } from './threeds.js';
import { usageReasons } from './usage.js';
import { waitCommandsReasons } from './wait-commands.js';
import { wireReasons } from './wire.js';

/** Every reason by its name. A name stands once, whatever its area; a test holds that. */
export const reasons = {
  ...batchReasons,
  ...batchEngineReasons,
  ...batchCommandsReasons,
  ...batchBindingReasons,
  ...callbacksReasons,
  ...callbackCommandsReasons,
  ...configReasons,
  ...secretsReasons,
  ...profileCommandsReasons,
  ...journalReasons,
  ...journalCommandsReasons,
  ...initReasons,
  ...keysReasons,
  ...liveReasons,
  ...sandboxReasons,
  ...sandboxCommandsReasons,
  ...signCommandsReasons,
  ...signingReasons,
  ...supportReasons,
  ...threedsReasons,
  ...runtimeReasons,
  ...paymentsReasons,
  ...waitCommandsReasons,
  ...operationCommandsReasons,
  ...assumptionsCommandsReasons,
  ...wireReasons,
  ...usageReasons,
  ...fieldsReasons,
  ...commandsReasons,
};

export type Reason = keyof typeof reasons;
