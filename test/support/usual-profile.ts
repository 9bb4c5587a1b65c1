import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const configFile = /^(?:config|\.paycli)\.(?:json|ya?ml)$/;
const ofConnection = /^(?:init$|--(?:base-url|login)\b|PAYCLI_(?:BASE_URL|LOGIN|ENDPOINT_ID|CLASS|\w+_KEY_FILE)$)/;

/**
 * The sandbox for a user who has no profile in these folders and describes no connection by flags or variables
 * or is about to, so that a test names a profile only where it is about one.
 */
export function usualProfile(
  folders: readonly string[],
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const files = folders.flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
  );
  const isConfigured = files.some((file) => configFile.test(basename(file)) && hasProfile(file));
  const isDescribed = [...argv, ...Object.keys(env)].some((word) => ofConnection.test(word));
  return isConfigured || isDescribed ? {} : { PAYCLI_PROFILE: 'sandbox' };
}

function hasProfile(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('profile');
  } catch {
    return true;
  }
}
