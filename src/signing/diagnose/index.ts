export { textDifferences } from './all-differences.js';
export { caseOfHeader, diffOauth } from './compare-header.js';
export { compareTexts, type Stretch } from './compare-texts.js';
export { controlHypotheses, diffControl, findControlMistakes } from './control-diagnosis.js';
export type {
  ControlCase,
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
  StageName,
  TextDifference,
} from './diagnosis.js';
export {
  explainControlValues,
  explainOauthParameters,
  type ParameterRow,
  type SignedParameterValue,
} from './explain-parameters.js';
export { findOauthMistakes, oauthHypotheses, signOauthCase } from './oauth-mistakes.js';
export { type OddCharacter, oddCharacters } from './odd-characters.js';
export {
  controlCommand,
  digestCommand,
  hmacCommand,
  rsaCommands,
  type StageCommand,
  stageFile,
} from './openssl-commands.js';
export { generalRemedies, remedyContext, remedyFor } from './remedies.js';
export type { RemedyContext } from './remedy-row.js';
export { signedBaseString, signedControl } from './signed-text.js';
export {
  controlStageTexts,
  oauthStagesOf,
  oauthStageTexts,
  type StageText,
} from './signing-stages.js';
