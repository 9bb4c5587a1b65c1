export {
  type ChallengeEnd,
  type ChallengeIds,
  type ChallengeReading,
  encodeChallengeRequest,
  encodeChallengeResponse,
  type RequestReading,
  readChallengeRequest,
  readChallengeResponse,
} from './challenge.js';
export { type Expected, type Inspection, inspect } from './inspect.js';
export { encodeMethodData, encodeMethodNotification, type MethodData, readMethodData } from './method.js';
export {
  encodePayerRequest,
  encodePayerResponse,
  leavesOf,
  type PayerEnd,
  type PayerReading,
  type Purchase,
  readPayerRequest,
  readPayerResponse,
  xidOf,
} from './payer.js';
export type { Authentication } from './result.js';
export type { MessageKind } from './shapes.js';
