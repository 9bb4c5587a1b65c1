import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { gatewayName } from '../../../wire/address.js';
import { withGateway } from '../../core/gateway-context.js';
import { withSession } from '../../core/open-session.js';
import type { CommonOptions } from '../../core/options.js';
import { readListenSettings } from '../callback/listen-settings.js';
import { openCallbackListener } from '../callback/listener.js';

interface CallbackListenFlags extends CommonOptions {
  readonly listen?: boolean;
  readonly run?: boolean;
  readonly forward?: string;
  readonly route?: readonly string[];
}

/** Throws USAGE. */
export function checkListenFlags({ listen, forward, route }: CallbackListenFlags): void {
  if (listen !== true && (forward !== undefined || route !== undefined))
    throw fail('listenFlagsAlone', { command: 'sandbox start' });
}

/** Takes callbacks beside a sandbox that listens at `url`, for as long as `use` goes on. */
export async function withCallbackListener(
  url: string,
  flags: CallbackListenFlags,
  runtime: Runtime,
  use: (callbackUrl: string) => Promise<number>,
): Promise<number> {
  const { forward, route, login, endpointId, controlKeyFile, ...rest } = flags;
  const output = {
    ...(rest.output === undefined ? {} : { output: rest.output }),
    ...(rest.quiet === undefined ? {} : { quiet: rest.quiet }),
  };
  const merchant =
    login === undefined || endpointId === undefined || controlKeyFile === undefined
      ? undefined
      : { login, endpointId, controlKeyFile };
  const options: CommonOptions =
    merchant === undefined ? { ...output, profile: 'sandbox' } : { ...output, ...merchant, baseUrl: url };
  const settings = readListenSettings({
    ...(forward === undefined ? {} : { forward }),
    ...(route === undefined ? {} : { route }),
  });
  return withSession(options, runtime, (opened, report) => {
    // A command beside the sandbox reaches it by its address, and so its journal names it.
    const session = flags.run === true ? { ...opened, place: gatewayName(url) } : opened;
    return withGateway(operationById('STATUS'), { options, session, report, runtime }, async (gateway) => {
      const listening = await openCallbackListener(gateway, settings);
      try {
        return await Promise.race([use(listening.url), listening.failed]);
      } finally {
        await listening.close('sandbox');
      }
    });
  });
}
