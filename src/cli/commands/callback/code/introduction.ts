import { commented } from '../../sign/code/plan.js';

/** The remarks a handler begins with, behind the comment mark of its language. */
export function introduction(mark: string, needs: string, run: string): readonly string[] {
  return commented(mark, [
    'Receives callbacks of the gateway and verifies their control: SHA-1 over status, orderid, client_orderid and the',
    'merchant control key, compared in constant time.',
    `Needs ${needs}.`,
    '',
    'This file contains no key. It is read from the file that CONTROL_KEY_FILE names, or from CONTROL_KEY itself:',
    `  CONTROL_KEY_FILE=control.key PORT=8080 ${run}`,
  ]);
}

/** What must happen before anything is delivered, behind the comment mark of the language. */
export function duties(mark: string): readonly string[] {
  return commented(mark, [
    'Here your work begins. The control covers these three texts and nothing else, and has no separators: compare both',
    'ids with those of one order of yours, and ask for its status before anything is delivered, since the amount is not',
    'covered. A callback may come again, or come late: do nothing twice. Fail here, and the gateway calls again.',
  ]);
}

/** `text`, each line behind so many blanks. */
export function inside(blanks: string, lines: readonly string[]): string {
  return lines.map((line) => `${blanks}${line}`).join('\n');
}
