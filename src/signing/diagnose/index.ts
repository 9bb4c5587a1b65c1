export { type ControlDiagnosis, type ControlTheirs, diagnoseControl } from './control.js';
export type { ControlCase, OriginalOrder, Slot } from './control-recipe.js';
export { controlCase, examineSignature, oauthCase, type SignatureFinding, type Surroundings } from './examine.js';
export {
  type Diagnosis,
  diagnoseOauth,
  type OauthDiagnosis,
  type OauthTheirs,
  timestampMistakes,
} from './oauth.js';
export { type OauthCase, plainProtocol } from './oauth-recipe.js';
export type { ControlMistakeName, Mistake, MistakeName, OauthMistakeName } from './search.js';
export type { StageName } from './stage-names.js';
export {
  type ParameterRow,
  type SignedParameterValue,
  type StageCommand,
  type StageText,
  stageCommands,
  stageFile,
  stageTexts,
} from './stages.js';
