import { defineReasons } from './reason.js';

const writeCardData = 'write lines such as credit_card_number=…, or a JSON object with such names';

const useCardNames = 'use the names {names}, in lines such as credit_card_number=… or in a JSON object';

const orKeepInFile = 'or keep the secret in a separate file, mode 0600, and name that in the profile';

/** Of keys and secrets, and the files they are in. */
export const keysReasons = defineReasons(() => ({
  keyFilesTheSame: { code: 'USAGE', why: '--out and --public-out name the same file' },
  publicKeyForms: { code: 'USAGE', why: 'this is a public key, which is never encrypted: use --to spki or --to pkcs1' },
  pkcs1NotEncrypted: {
    code: 'USAGE',
    why: 'PKCS#1 encryption is very weak: use --to pkcs8, or --decrypt',
  },
  pairWithPublic: { code: 'USAGE', why: '--public cannot be combined with two files' },
  encryptOrDecrypt: { code: 'USAGE', why: '--encrypt and --decrypt cannot be combined' },
  publicKeyNotEncrypted: { code: 'USAGE', why: 'a public key is never encrypted' },
  keyFileUnreadable: { code: 'SECRET_UNREADABLE', what: 'file {file}', how: 'check the path and its permissions' },
  keyToStandardOutput: { code: 'USAGE', why: 'a key goes into a file, never to standard output' },
  keyFileTaken: {
    code: 'USAGE',
    why: `the file {file} already exists, and a key never overwrites a file; nothing was written; choose another name`,
  },
  keyFileUnwritable: { code: 'STORAGE', what: 'file {file}', how: 'nothing was written; choose another place' },
  approverKeyNotEd25519: {
    code: 'KEY_UNUSABLE',
    why: `it is not an Ed25519 key; make one with \`openssl genpkey -algorithm ed25519 -out approver.pem\`, and print its public key with \`openssl pkey -in approver.pem -pubout\``,
  },
  approverKeyUnreadable: { code: 'KEY_UNUSABLE', why: 'it is not an unencrypted private key in PEM' },
  approverKeyExposed: {
    code: 'SECRET_UNREADABLE',
    what: 'key file {path}',
    why: 'other users can read it',
    how: 'run `chmod 600 {path:word}`',
  },
  approvalUnwritable: { code: 'USAGE', why: '--approval-file: {file} cannot be written, or already exists' },
  approvalUnreadable: { code: 'USAGE', why: '--approval-file: {file} cannot be read as an approval' },
  notAnApprovalFile: { code: 'USAGE', why: '--approval-file: {file} is not an approval' },
  secretEmpty: { code: 'SECRET_UNREADABLE', why: 'is empty', how: 'put the secret in it' },
  pemEmpty: { code: 'SECRET_UNREADABLE', why: 'is empty', how: 'put the key in it' },
  secretFileUnreadable: { code: 'SECRET_UNREADABLE', how: 'check the file and its permissions' },
  secretFileMissing: {
    code: 'SECRET_UNREADABLE',
    why: 'there is no such file',
    how: 'put the secret in that file, mode 0600',
  },
  secretFileNotAFile: {
    code: 'SECRET_UNREADABLE',
    why: 'is not a regular file',
    how: 'name a regular file; for a pipe use the flag that ends in -fd',
  },
  secretFileOfAnotherUser: {
    code: 'SECRET_UNREADABLE',
    why: 'belongs to another user',
    how: 'use a file of your own, mode 0600',
  },
  secretFileOpenToOthers: {
    code: 'SECRET_UNREADABLE',
    why: 'can be read or written by other users',
    how: 'run `chmod 600 {file:word}`',
  },
  secretFileTooLarge: {
    code: 'SECRET_UNREADABLE',
    why: 'is larger than 64 KiB',
    how: 'name a file that contains only the secret',
  },
  secretFolderUnreadable: { code: 'SECRET_UNREADABLE', how: 'check the folder of the file' },
  secretFolderOpenToAll: {
    code: 'SECRET_UNREADABLE',
    why: 'is in a folder that every user can write to',
    how: 'move it into a folder of your own',
  },
  secretVariableNotSet: {
    code: 'SECRET_UNREADABLE',
    why: '{variable} is not set',
    how: 'set {variable} to the path of a file',
  },
  secretDescriptorUnreadable: {
    code: 'SECRET_UNREADABLE',
    how: 'open descriptor {descriptor} for reading, as in {descriptor}<file',
  },
  secretStdinIsTerminal: {
    code: 'SECRET_UNREADABLE',
    why: 'is a terminal',
    how: 'send the secret through a pipe',
  },
  secretStdinUnreadable: { code: 'SECRET_UNREADABLE', how: 'send the secret, and nothing else, through a pipe' },

  caFileUnreadable: { code: 'SECRET_UNREADABLE', how: 'name a PEM file with certificates' },
  caFileMissing: {
    code: 'SECRET_UNREADABLE',
    why: 'there is no such file',
    how: 'name a PEM file with certificates',
  },
  caFileNotAFile: {
    code: 'SECRET_UNREADABLE',
    why: 'is not a regular file',
    how: 'name a PEM file with certificates',
  },
  caFileWithoutCertificate: {
    code: 'SECRET_UNREADABLE',
    why: 'contains no certificate',
    how: 'name a PEM file with certificates',
  },
  certificateChecksOff: { code: 'TLS_POLICY', why: 'NODE_TLS_REJECT_UNAUTHORIZED=0 disables certificate checks' },

  keyringEntryMissing: {
    code: 'SECRET_UNREADABLE',
    why: 'there is no such entry',
    how: 'store it with `paycli profile add NAME --store keyring --replace`',
  },
  keyringUnusable: {
    code: 'SECRET_UNREADABLE',
    why: 'the keyring cannot be used ({reported})',
    how: `start and unlock the keyring of this system, ${orKeepInFile}`,
  },
  keyringSilent: {
    code: 'SECRET_UNREADABLE',
    why: 'the keyring did not answer within 3 seconds',
    how: `start and unlock the keyring of this system, ${orKeepInFile}`,
  },
  helperNotStarted: { code: 'SECRET_UNREADABLE', how: 'correct the helper in the profile' },
  helperTooSlow: {
    code: 'SECRET_UNREADABLE',
    why: 'did not end within 10 seconds',
    how: 'run it manually: it has to print the secret and exit without prompting',
  },
  helperFailed: { code: 'SECRET_UNREADABLE', why: 'ended with {exit}{message}', how: 'run it manually to see why' },
  helperOutputNotText: {
    code: 'SECRET_UNREADABLE',
    why: 'printed something that is not UTF-8 text',
    how: 'change it so that it prints the secret and nothing else',
  },
  helperOutputEmpty: {
    code: 'SECRET_UNREADABLE',
    why: 'printed nothing',
    how: 'change it so that it prints the secret and nothing else',
  },

  storedKeyUnreadable: { code: 'STORAGE', why: 'it could not be read', how: 'nothing was changed; check the file' },
  storedKeyNotWritten: {
    code: 'STORAGE',
    why: 'it could not be written',
    how: 'nothing was changed; check the folder and the disk',
  },
  storedKeyNotRemoved: {
    code: 'STORAGE',
    why: 'it could not be removed',
    how: 'remove it manually: it holds a key',
  },
  cardDataNamesOtherField: {
    code: 'SECRET_UNREADABLE',
    what: 'card data',
    why: '{others} {are} of {command}',
    how: useCardNames,
  },
  cardFileNotAFile: {
    code: 'SECRET_UNREADABLE',
    what: 'card data',
    why: 'the file given with --card-file does not exist or is not a regular file',
    how: 'name a file of your own, mode 0600',
  },
  cardDataOpenToOthers: {
    code: 'SECRET_UNREADABLE',
    what: 'card data',
    why: 'other users can read {path}',
    how: 'run `chmod 600 {path:word}`',
  },
  cardDataNotText: {
    code: 'SECRET_UNREADABLE',
    what: 'card data',
    why: '{place} cannot be read as text',
    how: writeCardData,
  },
  cardDescriptorNotANumber: {
    code: 'SECRET_UNREADABLE',
    what: 'card data',
    why: '--card-fd: use the number of an open descriptor',
    how: 'open one, as in 3<card.json --card-fd 3',
  },
  cardDescriptorNotOpen: {
    code: 'SECRET_UNREADABLE',
    what: 'card data',
    why: 'descriptor {descriptor} is not open for reading',
    how: 'open it, as in {descriptor}<card.json',
  },
  cardLineNotOfForm: {
    code: 'SECRET_UNREADABLE',
    what: 'card data',
    why: 'line {line} is not of the form name=value',
    how: useCardNames,
  },
  cardJsonUnreadable: {
    code: 'SECRET_UNREADABLE',
    what: 'card data',
    why: 'it is not readable JSON',
    how: useCardNames,
  },
  cardJsonNotTexts: {
    code: 'SECRET_UNREADABLE',
    what: 'card data',
    why: '{name}: write it as a string, in quotes',
    how: useCardNames,
  },
}));
