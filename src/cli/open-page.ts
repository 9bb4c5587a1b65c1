import type { Runtime } from '../runtime/ports.js';
import { replyField } from '../spec/index.js';
import { webAddress } from '../wire/address.js';
import type { Fields } from './present/meaning.js';
import type { Reporter } from './reporter.js';

/** Shows the hosted page of a reply in the user's browser, or says why the user has to. */
export async function openPage(fields: Fields, report: Reporter, runtime: Runtime): Promise<void> {
  const address = replyField(fields, 'redirect');
  if (address === undefined || webAddress(address) === undefined) {
    report.warn(['the reply has no address to open']);
    return;
  }
  const isOpen = await runtime.processes.browse(address);
  if (isOpen) report.notes([`opened in the browser: ${address}`]);
  else report.warn([`no browser could be started; open this yourself: ${address}`]);
}
