import { defineReasons } from './reason.js';

const anotherProfile = 'use a profile whose class matches the address';

/** Of profiles, assumptions and the files they are in. */
export const setupReasons = defineReasons(() => ({
  configFileMissing: { code: 'CONFIG_INVALID', problems: 'there is no such file' },
  configNotAFile: { code: 'CONFIG_INVALID', problems: 'is not a regular file' },
  configTooLarge: { code: 'CONFIG_INVALID', problems: 'is larger than 1 MiB' },
  configNotJson: { code: 'CONFIG_INVALID', problems: 'is not valid JSON' },
  configNotYaml: { code: 'CONFIG_INVALID', problems: 'is not valid YAML{place}' },
  configKeyTwice: { code: 'CONFIG_INVALID', problems: 'has a duplicate key' },
  severalConfigFiles: { code: 'CONFIG_INVALID', problems: 'only one of them may exist' },
  configNotEditable: {
    code: 'CONFIG_INVALID',
    problems: 'paycli cannot edit this file because of its layout: edit it yourself',
  },
  configNotWritten: {
    code: 'STORAGE',
    why: 'it could not be written',
    how: 'it was not changed; check the folder and the disk',
  },
  configOfAnotherUser: {
    code: 'CONFIG_EXPOSED',
    path: '{file}{about}',
    why: 'belongs to another user',
    how: 'make it your own, or remove it',
  },
  configOpenToOthers: {
    code: 'CONFIG_EXPOSED',
    path: '{file}{about}',
    why: 'can be changed by other users',
    how: 'run `chmod go-w {file:word}`',
  },
  projectFileSetsMore: {
    code: 'CONFIG_INVALID',
    problems:
      'sets {keys}, but a project file may set only default-profile, output, timeout and the defaults order-desc, purpose, site-url and merchant-data',
  },
  liveDefaultOfProject: {
    code: 'CONFIG_INVALID',
    problems: 'chooses the live profile {profile}, which only --profile, PAYCLI_PROFILE and the user file may do',
  },

  noProfileConfigured: {
    code: 'PROFILE_NOT_CHOSEN',
    why: 'no profile is configured in {where}, and none is named',
    how: '`paycli init` sets one up',
  },
  endpointMissing: {
    code: 'PROFILE_INCOMPLETE',
    lacking: 'an endpoint id for {purpose}',
    how: 'endpoint-id, or an entry under endpoints, in the profile',
  },
  profileSettingsMissing: { code: 'PROFILE_INCOMPLETE', lacking: '{names}', how: '{names} with `{set}`, or in {file}' },
  connectionSettingsMissing: {
    code: 'PROFILE_INCOMPLETE',
    why: 'connection settings are missing: {names}',
    how: '{names}, or name a profile with --profile or PAYCLI_PROFILE',
  },
  sandboxHasOwnAddress: {
    code: 'PROFILE_CLASS_MISMATCH',
    why: 'the built-in sandbox has its own address and keys; omit the flags that set others',
    how: 'to use another address, choose its profile',
  },
  classUnfitForHost: {
    code: 'PROFILE_CLASS_MISMATCH',
    why: 'profile {profile} is of class {class}, but {mismatch}',
    how: anotherProfile,
  },
  classUnfitToWrite: {
    code: 'PROFILE_CLASS_MISMATCH',
    why: 'profile {profile} would be of class {class}, but {mismatch}',
    how: 'use {flag}{fit} for {address}',
  },
  replacedHostCountsAsLive: {
    code: 'PROFILE_CLASS_MISMATCH',
    why: 'profile {profile} is of class {class}, but its address was replaced by {host}, which counts as live unless PAYCLI_CLASS=test says otherwise',
    how: anotherProfile,
  },
  classNotLowered: {
    code: 'PROFILE_CLASS_MISMATCH',
    why: 'profile {profile} is of class {class}, and PAYCLI_CLASS={wanted} cannot lower that',
    how: anotherProfile,
  },

  settingsInvalid: { code: 'FIELD_INVALID', problems: 'nothing was changed: {found}' },
  valueNotOneOf: { code: 'FIELD_INVALID', problems: 'use one of {values}[; did you mean {meant}?]' },
  valueNotOfForm: { code: 'FIELD_INVALID', problems: 'use {form}' },
  loginFlagNotOfForm: { code: 'FIELD_INVALID', problems: '--login: use {form}' },
  severalSecretsOnStdin: { code: 'FIELD_INVALID', problems: 'only one of {flags} can read standard input' },
  secretNamedTwice: {
    code: 'FIELD_INVALID',
    problems: '--{key}-file and --{key}-fd both name the secret; use one of them',
  },
  secretDescriptorNotANumber: {
    code: 'FIELD_INVALID',
    problems: '--{key}-fd: use the number of an open descriptor, 3 or above, or 0 for standard input',
  },
  profileWithoutControlKey: {
    code: 'PROFILE_INCOMPLETE',
    lacking: 'a control key',
    how: 'control-key-file in the profile, PAYCLI_CONTROL_KEY_FILE or --control-key-file',
  },
  profileWithoutPrivateKey: {
    code: 'PROFILE_INCOMPLETE',
    lacking: 'a private key',
    how: 'private-key-file in the profile, PAYCLI_PRIVATE_KEY_FILE or --private-key-file',
  },
  sandboxNeedsNoProfile: {
    code: 'USAGE',
    why: 'the built-in sandbox has its own login and keys and needs no profile: omit the other flags',
  },
  makeOrNameKey: {
    code: 'USAGE',
    why: `use either --generate-key, which makes a key, or --private-key-file, which names one`,
  },
  supportTextNeedsKey: {
    code: 'USAGE',
    why: '--support-text applies to an RSA key: add --generate-key or --private-key-file',
  },
  supportTextTaken: { code: 'USAGE', why: '--support-text names a file that already exists: choose another name' },
  setupDeclined: { code: 'CANCELLED', why: 'nothing was written', how: '`paycli init` asks again from the start' },
  keyInTheWay: {
    code: 'USAGE',
    why: '{place} already holds a key, though no profile names it; --replace overwrites it',
  },
  newKeyInTheWay: {
    code: 'USAGE',
    why: '{place} already holds a key that other profiles may use: move it away first',
  },
  newKeyNotJudged: {
    code: 'REFUSED',
    why: 'this does not show whether it accepts the new {key}: {answer}',
    how: 'nothing was changed: profile {profile} {kept}; {check}, then repeat the command',
  },
  newControlKeyRefused: {
    code: 'REFUSED',
    why: 'it does not accept the new {key}[, but still accepts the old one ({old})]: {answer}',
    how: 'nothing was changed: profile {profile} {kept}; [if gateway support has not switched to the new one yet (old key {old} still works), repeat the command once it has; otherwise ]compare the new one (fingerprint {fingerprint}), login and endpoint with what gateway support gave you',
  },
  newPrivateKeyRefused: {
    code: 'REFUSED',
    why: 'it does not accept the new {key}[, but still accepts the old one ({old})]: {answer}',
    how: 'nothing was changed: profile {profile} {kept}; give the new public key (fingerprint {fingerprint}) to gateway support, then repeat the command',
  },
  newKeyNotSent: { code: 'NOT_SENT', why: '{answer}; profile {profile} {kept}' },
  newKeyNotTrusted: { code: 'CERTIFICATE', why: '{answer}; profile {profile} {kept}' },
  newKeyNotAnswered: { code: 'READ_FAILED', why: '{answer}; profile {profile} {kept}' },
  newKeyUnproved: {
    code: 'CONFIRMATION_NEEDED',
    why: 'the new key could not be verified: {why}',
    how: 'profile {profile} {kept}; add --unchecked to replace it anyway',
  },
  passphraseWithoutKey: { code: 'USAGE', why: '--passphrase-file needs --private-key-file' },
  keyNotFromFile: {
    code: 'USAGE',
    why: 'the private key and its passphrase stay in files of their own and cannot be read from -',
  },
  removalNeedsYes: {
    code: 'CONFIRMATION_NEEDED',
    why: 'removing {what} must be confirmed, and there is no terminal to prompt on',
    how: 'add --yes if that is intended',
  },
  removalDeclined: {
    code: 'CANCELLED',
    why: 'nothing was removed',
    how: '`paycli profile show {profile:word}` shows it',
  },
  noSuchAssumption: { code: 'USAGE', why: 'there is no assumption {assumption}{hint}' },
  nothingToSet: { code: 'USAGE', why: 'use KEY=VALUE, --assume ID=VALUE or --default' },
  sandboxHasNoSettings: {
    code: 'USAGE',
    why: 'the built-in sandbox has no profile, and uses every default; `paycli sandbox start --assume SWITCH=VALUE` starts one that does not, and `paycli profile add` makes a profile for its address',
  },
  liveSwitchNeedsYes: {
    code: 'CONFIRMATION_NEEDED',
    why: 'profile {profile} is live, so setting {what} must be confirmed, and there is no terminal to prompt on',
    how: 'add --yes if that is intended',
  },
  switchChangeDeclined: {
    code: 'CANCELLED',
    why: 'nothing was changed',
    how: '`paycli profile show {profile:word} --origins` shows the values in force',
  },
}));
