export { diffControl, findControlMistakes } from './control-diagnosis.js';
export { controlHypotheses } from './control-hypotheses.js';
export { findOauthMistakes } from './find-oauth.js';
export { diffOauth } from './oauth-diagnosis.js';
export { oauthHypotheses } from './oauth-hypotheses.js';
export { signOauthCase } from './oauth-signer.js';
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
} from './types.js';
