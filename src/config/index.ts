export { approversIn } from './approvers.js';
export { type Caps, type Money, noCaps } from './caps.js';
export { adHocNames, builtInSandbox } from './choice.js';
export type { Defaults } from './content.js';
export type { ExplainRow, ProfileClass } from './draft.js';
export { explain } from './explain.js';
export { isInlineKey } from './inline-key.js';
export { checkProfileName, type ListedProfile, type Loaded, listProfiles, loadProfile, type Profile } from './profile.js';
export { checkTlsPolicy, readCaFile, readPemText, readSecret } from './secrets.js';
