export { createSandbox, type Sandbox } from './app.js';
export { openWorld, type World } from './world.js';
