import type { Route } from '../../../callbacks/forward.js';
import type { Runtime } from '../../../runtime/ports.js';
import { gatewayName } from '../../../wire/address.js';
import type { CommonOptions } from '../../core/common-options.js';
import { withGateway } from '../../gateway.js';
import { withSession } from '../../open-session.js';
import { openCallbackListener } from '../callback/listener.js';

interface CallbackListenFlags extends CommonOptions {
  readonly run?: boolean;
  readonly forward?: string;
  readonly route?: readonly Route[];
}

/** Receives callbacks next to a sandbox that listens at `url`, while `use` runs. */
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
  const handlers = {
    ...(forward === undefined ? {} : { forward }),
    ...(route === undefined ? {} : { route }),
  };
  return withSession(options, runtime, (opened, report) => {
    // The command uses the sandbox by its address, so its journal has that as the gateway.
    const session = flags.run === true ? { ...opened, gatewayBase: gatewayName(url) } : opened;
    return withGateway({ options, session, report, runtime }, async (gateway) => {
      const listening = await openCallbackListener(gateway, handlers);
      try {
        return await Promise.race([use(listening.url), listening.failed]);
      } finally {
        await listening.close('sandbox');
      }
    });
  });
}
