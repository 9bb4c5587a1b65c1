export { createSandbox, type Sandbox } from './gateway.js';
export { seededRandom } from './seeded-random.js';
export { type Identity, openSandboxState, type SandboxState } from './state.js';
