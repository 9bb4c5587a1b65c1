export { requestsSoFar } from './ledger/store.js';
export { createSandbox, type Sandbox } from './server/sandbox.js';
export { seededRandom } from './server/seeded-random.js';
export {
  type Identity,
  openSandboxState,
  type SandboxState,
} from './server/state.js';
