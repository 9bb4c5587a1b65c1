export { diffOauth } from './compare-header.js';
export { controlHypotheses, diffControl, findControlMistakes } from './control-diagnosis.js';
export type {
  ControlCase,
  ControlHypothesis,
  ControlMistakeName,
  ControlTheirs,
  Diagnosis,
  Difference,
  Mistake,
  OauthCase,
  OauthHypothesis,
  OauthMistakeName,
  OauthTheirs,
  RawSignature,
} from './diagnosis.js';
export { findOauthMistakes, oauthHypotheses, signOauthCase } from './oauth-mistakes.js';
