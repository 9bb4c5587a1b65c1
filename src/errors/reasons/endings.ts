import { defineReasons, moneyMay } from './reason.js';

const noRepeat = 'do not repeat it unchanged';
const newAttempt = `${noRepeat}; another attempt at a payment needs a new client order id`;

/** Of commands that printed a result and end with another code than 0. */
export const endingsReasons = defineReasons(() => ({
  otherOutcome: { code: 'CHECK_FAILED', why: 'expected {expected}, got {got}', how: '{next}' },
  endedRefused: { code: 'REFUSED', why: '{meaning}', how: 'correct what was refused, then run the command again' },
  endedDeclined: { code: 'DECLINED', why: '{meaning}', how: newAttempt },
  endedNotSent: { code: 'NOT_SENT', why: '{meaning}' },
  endedPending: { code: 'PENDING', why: '{meaning}', how: '`paycli status ORDER --wait` polls again' },
  watchTimedOut: { code: 'PENDING', why: '{why}', how: '{how}' },
  endedUnknown: { code: 'OUTCOME_UNKNOWN', may: moneyMay, why: '{meaning}', how: 'paycli resolve' },
  notAvailableNow: {
    code: 'CHECK_FAILED',
    why: 'a check failed: {operation} is not available: {reason}',
    how: '`{shown}` lists what is available',
  },
  followUpNotPossible: {
    code: 'CHECK_FAILED',
    why: '{operation} is not possible now: {reason}; nothing was sent',
    how: '`{shown}` lists what is available',
  },
  resolvedDeclined: { code: 'DECLINED', why: '{what}: {reason}', how: newAttempt },
  resolvedFollowUpDeclined: {
    code: 'DECLINED',
    why: '{what}: {reason}',
    how: `${noRepeat}; \`{show}\` shows the order`,
  },
  resolvedRefused: {
    code: 'REFUSED',
    why: '{what}: {reason}; nothing took effect',
    how: 'correct what was refused, then send it again',
  },
  resolvedNotSent: { code: 'NOT_SENT', why: '{what} was never sent: {reason}' },
  resolvePending: { code: 'PENDING', why: '{what}: {why}', how: '{how}' },
  resolveUnknown: { code: 'OUTCOME_UNKNOWN', may: '{may}', why: '{what}: {why}', how: '{how}' },
  endedUnanswered: { code: 'READ_FAILED', why: '{meaning}' },
  endedUnfit: { code: 'CHECK_FAILED', why: 'a check failed: {meaning}', how: 'correct what the result reports' },
  checkNotPassed: { code: 'CHECK_FAILED', why: 'a check failed: {what}', how: '{next}' },
  endedWithRowsLeft: { code: 'BATCH_LEFT', why: '{meaning}', how: '`paycli batch resume PLAN` continues with them' },
  endedWithoutReason: {
    code: 'INTERNAL',
    why: 'paycli ended with exit code {exit} and gave no reason',
    how: 'read the result',
    sent: '`paycli journal` shows what was sent',
  },
}));

/** In place of a meaning, where the result has none in words. */
export const meaningUnsaid = 'see the result';
