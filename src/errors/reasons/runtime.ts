import { defineReasons } from './reason.js';

const keepFile = 'move the file away and keep it; `paycli status` still answers for each order';

export const runtimeReasons = defineReasons(() => ({
  portNotOpened: { code: 'USAGE', why: 'port {port} cannot be opened' },
  programNotStarted: { code: 'USAGE', why: '{program} cannot be started' },
  outputDiskFull: {
    code: 'STORAGE',
    what: 'standard output',
    why: 'the disk is full',
    how: 'check where the output goes, then run `paycli {command}` again',
  },
  outputNotWritten: {
    code: 'STORAGE',
    what: 'standard output',
    why: 'it could not be written',
    how: 'check where the output goes, then run `paycli {command}` again',
  },
  stdinTooLarge: { code: 'TEXT_INVALID', field: 'standard input', why: 'larger than 1 MiB' },
  stdinNotText: { code: 'TEXT_INVALID', field: 'standard input', why: 'not UTF-8 text' },

  sqliteMissing: {
    code: 'STORAGE',
    what: 'SQLite',
    why: 'it does not run on {platform}, or its installation is incomplete',
    how: 'run `npm rebuild @photostructure/sqlite` where paycli is installed',
  },
  fileNotPlain: { code: 'STORAGE', why: 'it is not a regular file', how: 'move {what} away' },
  fileOfAnotherUser: {
    code: 'STORAGE',
    why: 'it belongs to another user',
    how: 'make it yours: chown it, or move {what} away',
  },
  fileOpenToOthers: { code: 'STORAGE', why: 'other users can open it', how: 'run `chmod 600 {what:word}`' },
  folderOfAnotherUser: {
    code: 'STORAGE',
    why: 'its folder belongs to another user',
    how: 'make {folder} yours: chown it, or set PAYCLI_STATE_DIR to a folder of your own',
  },
  folderOpenToOthers: {
    code: 'STORAGE',
    why: 'other users can write to its folder',
    how: 'run `chmod go-w {folder:word}`',
  },
  fileSystemUnfit: {
    code: 'STORAGE',
    why: 'this file system cannot hold it safely',
    how: 'set PAYCLI_STATE_DIR to a folder on a local disk',
  },
  fileUnreadable: { code: 'STORAGE', why: 'it cannot be read', how: keepFile },
  fileInUse: {
    code: 'STORAGE',
    why: 'another paycli is using it',
    how: 'wait for the other command to end, then repeat this one',
  },
  fileReadOnly: { code: 'STORAGE', why: 'it is read-only', how: 'make the file and its folder writable by you' },
  diskFaulty: {
    code: 'STORAGE',
    why: 'the disk reports an error',
    how: 'check the disk before you send anything else',
  },
  fileDamaged: { code: 'STORAGE', why: 'it is damaged', how: keepFile },
  diskFull: { code: 'STORAGE', why: 'the disk is full', how: 'free some space on the disk, then repeat the command' },
  fileNotOpened: {
    code: 'STORAGE',
    why: 'it cannot be opened',
    how: 'check that the file and its folder are yours and writable',
  },
  fileNotADatabase: { code: 'STORAGE', why: 'it is not a database', how: keepFile },
  tooManyFilesOpen: {
    code: 'STORAGE',
    why: 'too many files are open already',
    how: 'raise the limit with `ulimit -n`, then repeat the command; the journal shows what was sent',
  },
}));
