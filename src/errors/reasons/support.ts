import type { ReasonRow } from './reason.js';

export const supportReasons = {
  bundleOrderMissing: { code: 'USAGE', why: 'name the order by its order id, by --client-order-id, or by both' },
  bundleOrderUnknown: { code: 'USAGE', why: '{said}; `paycli journal list` shows the orders there are' },
  archiveToStandardOutput: { code: 'USAGE', why: 'an archive goes into a file, never to standard output' },
  archiveTaken: {
    code: 'USAGE',
    why: 'there is a file {file} already, and nothing was written; choose another with --out, or add --replace',
  },
  archiveUnwritable: { code: 'STORAGE', how: 'nothing was written; look at the folder and the disk' },
} as const satisfies Record<string, ReasonRow>;
