import { isAbsolute, join } from 'node:path';
import { fail } from '../errors/index.js';
import type { Env } from './ports.js';

export interface BaseFolders {
  readonly home: string | undefined;
  readonly working: string;
}

/** Folders by the XDG rules: a relative value there is ignored. Undefined are those that need a home folder. */
export function ownFolders(env: Env, { home }: BaseFolders) {
  const own = (name: string) => {
    const value = env[name];
    if (value === undefined || isAbsolute(value)) return value;
    if (value === '') throw fail('ENVIRONMENT_INVALID', { problems: `${name}: it is set but empty` });
    throw fail('ENVIRONMENT_INVALID', {
      problems: `${name} is a path relative to the current folder`,
      how: 'make it absolute',
    });
  };
  const xdg = (name: string, usual: string) => {
    const value = env[name];
    if (value !== undefined && isAbsolute(value)) return join(value, 'paycli');
    return home === undefined ? undefined : join(home, usual, 'paycli');
  };
  const state = own('PAYCLI_STATE_DIR');
  const within = (name: string) => (state === undefined ? undefined : join(state, name));
  return {
    config: own('PAYCLI_CONFIG_DIR') ?? xdg('XDG_CONFIG_HOME', '.config') ?? within('config'),
    state: state ?? xdg('XDG_STATE_HOME', '.local/state'),
    data: within('data') ?? xdg('XDG_DATA_HOME', '.local/share'),
  };
}

export function needed(folder: string | undefined): string {
  if (folder === undefined)
    throw fail('ENVIRONMENT_INVALID', {
      problems: 'this user has no home folder, where paycli would keep its files',
      how: 'set HOME or PAYCLI_STATE_DIR',
    });
  return folder;
}
