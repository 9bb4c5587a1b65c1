export type { MessageKind } from './inspect.js';
export { type Inspection, inspect } from './inspect.js';
export type { Authentication } from './messages.js';
export {
  type ChallengeIds,
  type ChallengeReading,
  type ChallengeResult,
  encodeChallengeRequest,
  encodeChallengeResponse,
  encodeMethodNotification,
  encodePayerRequest,
  encodePayerResponse,
  type MethodData,
  type PayerReading,
  type PayerResult,
  type Purchase,
  type RequestReading,
  readChallengeRequest,
  readChallengeResponse,
  readMethodData,
  readPayerRequest,
  readPayerResponse,
  xidOf,
  xmlLeaves,
} from './messages.js';
