import { phpProgram } from './php.js';
import type { Plan } from './plan.js';
import { pythonProgram } from './python.js';
import { shellScript } from './shell.js';

/** Every language a request can be written out in, by the command that does it, with what runs it under the name it is saved as. */
export const languages = {
  curl: { write: shellScript, interpreter: 'sh', file: 'request.sh' },
  php: { write: phpProgram, interpreter: 'php', file: 'request.php' },
  python: { write: pythonProgram, interpreter: 'python3', file: 'request.py' },
} as const satisfies Record<
  string,
  { readonly write: (plan: Plan, run: string) => string; readonly interpreter: string; readonly file: string }
>;

export type Language = keyof typeof languages;
