export { type Caps, type Defaults, type Money, noCaps, type Profile, type SharedJournal } from './connection.js';
export type { ExplainRow } from './layers.js';
export {
  adHocNames,
  builtInSandbox,
  checkProfileName,
  defaultProfileName,
  journalNamedBy,
  type ListedProfile,
  type LoadedProfile,
  listProfiles,
  loadProfile,
  sharedJournals,
} from './load-profile.js';
export { checkTlsPolicy, readCaFile, readPemText, readSecret } from './secrets.js';
export type { ProfileClass } from './settings.js';
