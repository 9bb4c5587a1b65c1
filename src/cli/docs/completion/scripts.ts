import type { Build } from '../../core/command-line.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { type Place, readPlaces } from './model.js';
import { powershellScript } from './powershell.js';
import { zshScript } from './zsh.js';

export const shells = {
  bash: { file: 'paycli.bash', script: bashScript },
  zsh: { file: 'paycli.zsh', script: zshScript },
  fish: { file: 'paycli.fish', script: fishScript },
  powershell: { file: 'paycli.ps1', script: powershellScript },
} as const satisfies Record<string, { readonly file: string; readonly script: (places: readonly Place[]) => string }>;

/** The scripts by the name of their file. */
export async function completionFiles(build: Build): Promise<Readonly<Record<string, string>>> {
  const places = await readPlaces(build);
  return Object.fromEntries(Object.values(shells).map(({ file, script }) => [file, script(places)]));
}

/** The script for one shell; undefined for a shell without one. */
export async function completionScript(shell: string, build: Build): Promise<string | undefined> {
  const found = Object.entries(shells).find(([name]) => name === shell)?.[1];
  return found?.script(await readPlaces(build));
}
