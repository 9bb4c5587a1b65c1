import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { gatewayName } from '../../wire/address.js';
import { openListening } from '../callbacks/listening.js';
import { readSettings } from '../callbacks/settings.js';
import type { CommonOptions } from '../options.js';
import { withGateway } from '../talk.js';
import { withSession } from '../with-session.js';

export interface BesideFlags extends CommonOptions {
  readonly listen?: boolean;
  readonly run?: boolean;
  readonly forward?: string;
  readonly route?: readonly string[];
}

/** Throws USAGE. */
export function checkListenFlags({ listen, forward, route }: BesideFlags): void {
  if (listen !== true && (forward !== undefined || route !== undefined))
    throw fail('USAGE', { why: '--forward and --route go with --listen', command: 'sandbox start' });
}

/** Takes callbacks beside a sandbox that listens at `url`, for as long as `use` goes on. */
export async function withCallbacks(
  url: string,
  flags: BesideFlags,
  runtime: Runtime,
  use: (callbackUrl: string) => Promise<number>,
): Promise<number> {
  const { forward, route, login, endpointId, controlKeyFile, ...rest } = flags;
  const output = {
    ...(rest.output === undefined ? {} : { output: rest.output }),
    ...(rest.quiet === undefined ? {} : { quiet: rest.quiet }),
  };
  const merchant =
    login === undefined || endpointId === undefined || controlKeyFile === undefined ? undefined : { login, endpointId, controlKeyFile };
  const options: CommonOptions = merchant === undefined ? { ...output, profile: 'sandbox' } : { ...output, ...merchant, baseUrl: url };
  const settings = readSettings({ ...(forward === undefined ? {} : { forward }), ...(route === undefined ? {} : { route }) });
  return withSession(options, runtime, (opened, report) => {
    // A command beside the sandbox reaches it by its address, and so its journal names it.
    const session = flags.run === true ? { ...opened, place: gatewayName(url) } : opened;
    return withGateway(operationById('STATUS'), { options, session, report, runtime }, async (talk) => {
      const listening = await openListening(talk, settings);
      try {
        return await Promise.race([use(listening.url), listening.failed]);
      } finally {
        await listening.close('sandbox');
      }
    });
  });
}
