export type { AttemptResult, SendLimits, Waiting } from './attempt.js';
export { type ChainHead, type ChainLine, type Facts, factsIn, isFacts, type LineText } from './chain.js';
export { type EqualPayment, isEqual, leadsToPayment } from './equal-payments.js';
export { GroupCommit } from './group-commit.js';
export { cardOf, cardOfOrder, cardReplyFields, type Intent, type NewIntent, type Sender, type Sum } from './intent.js';
export { describeIntent, intentName, orderBusy, settledWord, wayOutOf } from './intent-text.js';
export { Journal, type JournalPorts } from './journal.js';
export { payerParts } from './lookup-hashes.js';
export { openJournal, openUnverified } from './open.js';
export type { Plan, PlanOptions } from './plan.js';
export {
  type BatchState,
  type BatchStateChange,
  batchHeldError,
} from './plan-states.js';
export { type Filter, type IntentPlace, isWithin, searchedFields, statusReason } from './query.js';
export {
  amountText,
  checkDay,
  digitsOfSum,
  isOfWhole,
  movesSameAmount,
  sumOfUnits,
  sumOfWhole,
  sumText,
  unitsOf,
} from './spending.js';
export {
  doubtfulStates,
  finalStates,
  isState,
  openStates,
  queryableStates,
  reachedStates,
  type State,
  spentStates,
  stateClause,
  states,
  unresolvedStates,
  unsentStates,
  wasSettledManually,
  withoutEffectStates,
} from './states.js';
