export type { Defaults } from './content.js';
export {
  checkProfileName,
  defaultProfileName,
  explain,
  journalNamedBy,
  type ListedProfile,
  type LoadedProfile,
  listProfiles,
  loadProfile,
  type Profile,
  sharedJournals,
} from './load-profile.js';
export { adHocNames, builtInSandbox } from './profile-choice.js';
export { type Caps, type Money, noCaps } from './profile-entries.js';
export { checkTlsPolicy, readCaFile, readPemText, readSecret } from './secrets.js';
export type { ExplainRow, ProfileClass } from './settings.js';
export type { SharedJournal } from './shared-journal.js';
