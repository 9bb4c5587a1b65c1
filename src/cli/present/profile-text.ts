/** `shop (test)`; `-` where nobody wrote it down. */
export function profileText({
  profile,
  class: kind,
}: {
  readonly profile?: string | undefined;
  readonly class?: string | undefined;
}): string {
  if (profile === undefined) return '-';
  return kind === undefined || kind === profile ? profile : `${profile} (${kind})`;
}
