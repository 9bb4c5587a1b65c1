import fc from 'fast-check';

// FC_RUNS=10000 npm test: every property without a number of its own is tried that often.
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: Number(process.env['FC_RUNS']) });
