/**
 * A word of a command that we suggest, for a POSIX shell: quoted where it needs to be. Text that could do more than be one word there
 * (control and invisible characters, or a beginning that a program takes for a flag) is left out: its place is taken by `instead`.
 */
export function shellWord(text: string, instead = '…'): string {
  if (text === '' || text.startsWith('-') || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text)) return instead;
  // At the beginning of a word a shell replaces ~ by a home folder, and zsh =name by a program.
  return /^[A-Za-z0-9_.:/@%+,-][A-Za-z0-9_.:/@%+=,~-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
