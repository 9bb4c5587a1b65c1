export { requestsSoFar } from './ledger/store.js';
export { createSandbox, type Sandbox } from './server/sandbox.js';
export {
  type Identity,
  type KnownOrder,
  openSandboxState,
  orderFacts,
  type SandboxState,
  seededRandom,
} from './server/state.js';
