import { join } from 'node:path';
import { type CallbackStore, openCallbackStore } from '../../callbacks/store.js';
import type { Runtime } from '../../runtime/ports.js';
import { callbackSeal } from '../callback-seal.js';

export function callbacksPath({ files }: Runtime): string {
  return join(files.folders.state, 'callbacks.db');
}

/** The callbacks this user received, whatever became of their listener. Throws STORAGE. */
export async function openHistory(runtime: Runtime): Promise<CallbackStore> {
  const database = (await runtime.database()).open(callbacksPath(runtime));
  try {
    return openCallbackStore(database, callbackSeal(runtime));
  } catch (error) {
    database.close();
    throw error;
  }
}
