/** Whether a card has expired, in UTC; false where the month or the year is not known. */
export function hasExpired(
  { month, year }: { readonly month?: string | undefined; readonly year?: string | undefined },
  now: number,
): boolean {
  // Months count from 0 here, so this is the start of the following month.
  return month !== undefined && year !== undefined && now >= Date.UTC(Number(year), Number(month));
}
