export { type Caps, type Defaults, type Money, noCaps, type Profile, type SharedJournal } from './connection.js';
export type { ExplainRow } from './layers.js';
export {
  adHocNames,
  builtInSandbox,
  checkProfileName,
  type ListedProfile,
  type LoadedProfile,
  listProfiles,
  loadProfile,
  readProfiles,
} from './load-profile.js';
export { checkTlsPolicy, readCaFile, readSecret } from './secrets.js';
export type { ProfileClass } from './settings.js';
