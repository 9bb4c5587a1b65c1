export { createSandbox, type Sandbox } from './app.js';
export { type KnownOrder, orderFacts } from './order-facts.js';
export { seededRandom } from './seeded.js';
export { requestsSoFar } from './store.js';
export { type Identity, openWorld, type World } from './world.js';
