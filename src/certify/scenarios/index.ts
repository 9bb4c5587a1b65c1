import type { Scenario } from '../scenario.js';
import { callbackScenarios } from './callback.js';
import { formatScenarios } from './format.js';
import { moneyScenarios } from './money.js';
import { outageScenarios } from './outage.js';
import { threedsScenarios } from './threeds.js';

/** Every scenario, in the order of the report. */
export const scenarios: readonly Scenario[] = [
  ...moneyScenarios,
  ...outageScenarios,
  ...callbackScenarios,
  ...threedsScenarios,
  ...formatScenarios,
];
