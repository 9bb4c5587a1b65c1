import { commented } from '../../sign/code/plan.js';

/** The remarks a handler begins with, behind the comment mark of its language. */
export function introduction(mark: string, needs: string, run: string): readonly string[] {
  return commented(mark, [
    'Receives callbacks from the gateway and verifies their control: SHA-1 over status, orderid, client_orderid and the',
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
    'Your own code goes here. The control covers only these three values, without separators, and not the amount:',
    'compare both ids with one of your orders, and query its status before you deliver anything. A callback may arrive',
    'again or late, so handling one twice must change nothing. If this fails, the gateway sends the callback again.',
  ]);
}

/** `text`, each line behind so many blanks. */
export function inside(blanks: string, lines: readonly string[]): string {
  return lines.map((line) => `${blanks}${line}`).join('\n');
}
