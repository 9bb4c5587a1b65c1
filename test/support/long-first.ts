import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Files that take or wait long: Vitest, which begins with the largest files, would leave them for the end.
const long = /\/test\/(?:batch|conformance)\/|\/(?:team|kills|postgres|network)\.test/;

/** Begins with the files that take long, so that none of them runs alone at the end. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
