import fc from 'fast-check';

/** FC_RUNS=10000 npm test: every property without a number of its own is tried that often. */
export const propertyRuns = Number(process.env['FC_RUNS'] ?? 25);

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: propertyRuns });
