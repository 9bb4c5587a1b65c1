import type { Runtime } from '../../../runtime/ports.js';
import type { Operation } from '../../../spec/index.js';
import type { Typed } from '../../core/common-options.js';
import { announce, composeRequest } from '../../fields/resolve.js';
import { withSession } from '../../open-session.js';
import { csharpProgram } from './code/csharp.js';
import { javaProgram } from './code/java.js';
import { nodeProgram } from './code/node.js';
import { phpProgram } from './code/php.js';
import { type CodePlan, planCode, sandboxTrial } from './code/plan.js';
import { pythonProgram } from './code/python.js';
import { shellScript } from './code/shell.js';

interface LanguageRow {
  readonly write: (plan: CodePlan, run: string) => string;
  /** The name it is saved as. */
  readonly file: string;
  /** What must come before `run`, once. */
  readonly compile?: string;
  readonly run: string;
}

/** Every language a request can be written out in, by the command that does it. */
export const languages = {
  curl: { write: shellScript, file: 'request.sh', run: 'sh request.sh' },
  php: { write: phpProgram, file: 'request.php', run: 'php request.php' },
  python: { write: pythonProgram, file: 'request.py', run: 'python3 request.py' },
  node: { write: nodeProgram, file: 'request.mjs', run: 'node request.mjs' },
  java: { write: javaProgram, file: 'Request.java', run: 'java Request.java' },
  csharp: {
    write: csharpProgram,
    file: 'request.cs',
    compile: 'mcs -r:System.Net.Http.dll request.cs',
    run: 'mono request.exe',
  },
} as const satisfies Record<string, LanguageRow>;

export type Language = keyof typeof languages;

/** Prints a program that signs and sends this request by itself. No key is read for it. */
export async function runSignCode(language: Language, row: Operation, typed: Typed, runtime: Runtime): Promise<number> {
  return withSession(typed.options, runtime, async (session, report) => {
    const { unsigned, resolved } = await composeRequest(row, typed, ['journal'], session, runtime);
    announce(resolved, report);
    const { write, file, compile, run }: LanguageRow = languages[language];
    const plan = planCode(unsigned, session);
    if (session.builtin) report.notes([`to try it, save it as ${file} and run: ${sandboxTrial(plan, run, compile)}`]);
    const program = write(plan, run);
    await report.show({
      isExact: true,
      document: { schema: 'paycli.code/1', operation: row.id, profile: session.name, language, program },
      text: () => program,
    });
    return 0;
  });
}
