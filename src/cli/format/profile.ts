/** `shop (test)`. */
export function profileText({ profile, class: kind }: { readonly profile: string; readonly class: string }): string {
  return kind === profile ? profile : `${profile} (${kind})`;
}

/**
 * ` --profile shop` for a command that is shown; nothing for the names that stand for a connection without a profile.
 */
export function profileFlag(profile: string): string {
  return profile === 'environment' || profile === 'flags' ? '' : ` --profile ${profile}`;
}
