export { type Caps, type Defaults, type Money, noCaps, type Profile } from './connection.js';
export {
  adHocNames,
  builtInSandbox,
  checkProfileName,
  defaultProfileName,
  type ListedProfile,
  type LoadedProfile,
  listProfiles,
  loadProfile,
} from './load-profile.js';
export { checkTlsPolicy, readCaFile, readPemText, readSecret } from './secrets.js';
export type { ExplainRow, ProfileClass } from './settings.js';
