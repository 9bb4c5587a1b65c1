import type { ReasonRow } from './reason.js';

export const keysReasons = {
  keyFilesTheSame: { code: 'USAGE', why: '--out and --public-out name the same file' },
  publicKeyForms: { code: 'USAGE', why: 'this is a public key: it goes --to spki or pkcs1, and is never encrypted' },
  pkcs1NotEncrypted: {
    code: 'USAGE',
    why: 'the encryption of PKCS#1 gives next to no protection: use --to pkcs8, or --decrypt',
  },
  encryptOrDecrypt: { code: 'USAGE', why: '--encrypt and --decrypt exclude each other' },
  publicKeyNotEncrypted: { code: 'USAGE', why: 'a public key is never encrypted' },
  keyFileUnreadable: { code: 'SECRET_UNREADABLE', what: 'file {file}', how: 'check the path and its permissions' },
  keyToStandardOutput: { code: 'USAGE', why: 'a key goes into a file, never to standard output' },
  keyFileTaken: {
    code: 'USAGE',
    why: `there is a file {file} already, and a key is never written over another; nothing was written: choose another \
name`,
  },
  keyFileUnwritable: { code: 'STORAGE', what: 'file {file}', how: 'nothing was written; choose another place' },
  approverKeyNotEd25519: {
    code: 'KEY_UNUSABLE',
    why: `it is not an Ed25519 key; make one with \`openssl genpkey -algorithm ed25519 -out approver.pem\`, its public \
half with \`openssl pkey -in approver.pem -pubout\``,
  },
  approverKeyUnreadable: { code: 'KEY_UNUSABLE', why: 'it cannot be read as a key without a passphrase' },
  approverKeyExposed: {
    code: 'SECRET_UNREADABLE',
    what: 'key file {path}',
    why: 'others may read it',
    how: 'run `chmod 600 {path:word}`',
  },
  approvalUnwritable: { code: 'USAGE', why: '--approval-file: {file} cannot be written, or is there already' },
  approvalUnreadable: { code: 'USAGE', why: '--approval-file: {file} cannot be read as an approval' },
  noApproval: { code: 'USAGE', why: '--approval-file: {file} is no approval' },
} as const satisfies Record<string, ReasonRow>;
