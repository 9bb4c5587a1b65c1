export type { ParameterRow } from './compare.js';
export { diagnoseControl } from './control.js';
export type { ControlCase, OriginalOrder, Slot } from './control-recipe.js';
export { controlCase, examineSignature, oauthCase, type SignatureFinding, type Surroundings } from './examine.js';
export { type Diagnosis, diagnoseOauth, type OauthTheirs } from './oauth.js';
export type { OauthCase } from './oauth-recipe.js';
export type { Mistake } from './search.js';
