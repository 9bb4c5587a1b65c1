import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { type Program, programs } from './programs.js';

/**
 * Says at the end of a run which tests were left out, by the program that each lacks. Where the environment has
 * NOTHING_LEFT_OUT, as in `.ci/run`, the run has failed then.
 */
export class LeftOut implements Reporter {
  readonly #missing: readonly Program[];
  #vitest: Vitest | undefined;

  constructor(missing: readonly Program[]) {
    this.#missing = missing;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const lacking = programs
      .filter((program) => this.#missing.includes(program))
      .map((program) => ({ program, tests: skipped.filter(({ tags }) => tags.includes(program)) }))
      .filter(({ tests }) => tests.length > 0);
    const leftOut = new Set(lacking.flatMap(({ tests }) => tests));
    // Those that a pattern on the command line passes over were not asked for.
    const others = this.#isFiltered() ? 0 : skipped.length - leftOut.size;
    const total = leftOut.size + others;
    if (total === 0) return;
    const counts = lacking.map(({ program, tests }) => `${program} ${tests.length}`);
    if (others > 0) counts.push(`for another reason ${others}`);
    const isFailure = process.env['NOTHING_LEFT_OUT'] !== undefined;
    if (isFailure) process.exitCode = 1;
    const end = isFailure
      ? 'NOTHING_LEFT_OUT is set: the run has failed'
      : '.ci/run installs these programs and runs all';
    process.stdout.write(`\n${total} ${total === 1 ? 'test' : 'tests'} left out: ${counts.join(', ')}; ${end}\n`);
  }

  #isFiltered(): boolean {
    const pattern = this.#vitest?.config.testNamePattern;
    return pattern !== undefined || (this.#vitest?.config.tagsFilter ?? []).length > 0;
  }
}
