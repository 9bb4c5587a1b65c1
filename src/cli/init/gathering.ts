import { checkTlsPolicy } from '../../config/index.js';
import { fail } from '../../errors/index.js';
import { pathOf } from '../keys/files.js';
import { checkLiveFlag } from '../live/guard.js';
import { profileValues } from '../profile-values.js';
import { hanging } from './layout.js';
import { checkName, planProfile, settingsOf } from './saving.js';
import { command, type Guide, type Setup } from './setup.js';
import { addressCheck, chooseClass, chooseName, chooseRsaKey, chooseStore, confirm } from './steps.js';
import { planText } from './words.js';

const intro = 'This writes a profile: where to send, as whom, with which keys. Ctrl-C ends it with nothing written.';
const aboutLive =
  'A live gateway moves real money: every command with this profile will need --live, and a payment the merchant login typed besides. ' +
  'A cap limits what one slip can cost.';

/** Everything that is needed, from flags and the user; undefined when the sandbox in the box is meant. Nothing is written. */
export async function gather(guide: Guide): Promise<Setup | undefined> {
  const { options, report, runtime } = guide;
  checkFlags(guide);
  if (guide.asksAll) say(intro, guide);
  const kind = await chooseClass(guide);
  if (kind === 'sandbox') return undefined;
  if (guide.asksAll && kind === 'live') say(aboutLive, guide);
  const name = await chooseName(kind ?? '', guide);
  if (options.live === true && kind === 'test' && name !== undefined) checkLiveFlag(options, { name, class: kind });
  const extras = kind === 'live' ? (['endpoints', 'max-amount'] as const) : (['endpoints'] as const);
  const asking = {
    command,
    alsoCheck: { 'base-url': addressCheck(name ?? '', kind ?? '', guide) },
    optional: guide.asksAll ? extras : [],
  };
  const values = await profileValues(given(guide, kind, name), asking, report, runtime);
  const setup = await withKeys(values, guide);
  if (guide.asksAll) {
    report.err(`\nThis will be written:\n${planText(setup, guide)}\n`);
    await confirm(guide);
  }
  return setup;
}

function given({ options }: Guide, kind: string | undefined, name: string | undefined) {
  return { ...options, ...(kind === undefined ? {} : { class: kind }), ...(name === undefined ? {} : { name }) };
}

async function withKeys(values: Setup['values'], guide: Guide): Promise<Setup> {
  const store = await chooseStore(values.name, guide);
  const rsa = await chooseRsaKey(values.name, guide);
  const profile = { ...settingsOf(values), ...store.setting, ...rsa?.settings };
  return { values, store, rsa, planned: planProfile(values.name, profile, guide.slot, guide.runtime) };
}

/** What can be said about the flags alone. Throws USAGE or TLS_POLICY. */
function checkFlags({ options, slot, runtime, asksAll }: Guide): void {
  const { name, generateKey, privateKeyFile, passphraseFile, supportText } = options;
  const refuse = (why: string) => fail('USAGE', { why, command });
  const connection = [options.baseUrl, options.login, options.endpointId, options.controlKeyFile, options.controlKeyFd, name];
  if (options.class === 'sandbox' && connection.some((value) => value !== undefined))
    throw refuse('the sandbox in the box has a login and keys of its own and needs no profile: leave out the other flags');
  if (name !== undefined) checkName(name, slot);
  const hasKeyFile = privateKeyFile !== undefined || passphraseFile !== undefined;
  if (generateKey === true && hasKeyFile) throw refuse('--generate-key makes a key, and --private-key-file names one: take one of them');
  if (supportText !== undefined && generateKey !== true && !hasKeyFile && !asksAll)
    throw refuse('--support-text is about an RSA key: add --generate-key or --private-key-file');
  if (supportText !== undefined && runtime.files.exists(pathOf(supportText, runtime)))
    throw refuse('--support-text names a file that is there already: choose another name');
  if (options.check !== false) checkTlsPolicy(runtime.env);
}

function say(text: string, { report }: Guide): void {
  report.urgent(hanging('', text).trimEnd().split('\n'));
}
