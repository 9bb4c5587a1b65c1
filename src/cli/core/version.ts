/** Put in by the build and by the test runner, from package.json. */
declare const PAYCLI_VERSION: string;

export const packageVersion: string = PAYCLI_VERSION;
