import { assumptionsCommandsReasons } from './assumptions-commands.js';
import { batchReasons } from './batch.js';
import { batchCommandsReasons } from './batch-commands.js';
import { callbackCommandsReasons } from './callback-commands.js';
import { callbacksReasons } from './callbacks.js';
import { commandsReasons } from './commands.js';
import { configReasons } from './config.js';
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
  ...batchCommandsReasons,
  ...callbacksReasons,
  ...callbackCommandsReasons,
  ...configReasons,
  ...profileCommandsReasons,
  ...journalReasons,
  ...journalCommandsReasons,
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
  ...commandsReasons,
};

export type Reason = keyof typeof reasons;
