import { expect } from 'vitest';
import { paycli, type Ran, type TestOptions, temporaryHome } from '../support/runtime.js';
import { leaksIn, leakyFiles, type Planted, proxyWord, writeProfile } from './planted.js';

const env = { HTTPS_PROXY: `http://user:${proxyWord}@proxy.example:3128` };

// To the end of the line or the string: what is masked in it has a blank.
const address = /\bhttps?:\/\/[^\n"'<>]+/gi;

/**
 * An address is shown as the gateway gave it: of cards it may hold whatever the request that it answers did not hold.
 * Keys it never holds.
 */
function leaksOf(text: string, planted: Planted): string[] {
  const inAddresses = leaksIn((text.match(address) ?? []).join('\n'), planted);
  const own = inAddresses.filter((leak) => !['card', 'other card', 'security code'].includes(leak));
  return [...leaksIn(text.replace(address, 'address'), planted), ...own];
}

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
      expect(leaksOf(ran.out, planted), `${argv.join(' ')}\n${ran.out}`).toEqual([]);
      expect(leaksIn(ran.err, planted), `${argv.join(' ')}\n${ran.err}`).toEqual([]);
      expect(leakyFiles(options.home, planted), argv.join(' ')).toEqual([]);
      return ran;
    },
  };
}
