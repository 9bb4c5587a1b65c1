import { expect } from 'vitest';
import { paycli, type Ran, type TestOptions, temporaryHome } from '../support/runtime.js';
import { leaksIn, leakyFiles, type Planted, proxyWord, writeProfile } from './planted.js';

const env = { HTTPS_PROXY: `http://user:${proxyWord}@proxy.example:3128` };

/** How the tests of one file look for what must not come out. */
export function hunting(planted: Planted) {
  return {
    /** A home with a profile that uses the planted keys. */
    shop(): string {
      const home = temporaryHome();
      writeProfile(home, planted);
      return home;
    },
    /** Runs a command and looks everywhere. */
    async search(argv: readonly string[], options: TestOptions & { readonly home: string }): Promise<Ran> {
      const ran = await paycli(argv, { ...options, env: { ...env, ...options.env } });
      expect(leaksIn(ran.out, planted), `${argv.join(' ')}\n${ran.out}`).toEqual([]);
      expect(leaksIn(ran.err, planted), `${argv.join(' ')}\n${ran.err}`).toEqual([]);
      expect(leakyFiles(options.home, planted), argv.join(' ')).toEqual([]);
      return ran;
    },
  };
}
