/** `client_order_id` as `clientOrderId`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

/** The same in Go, which writes ID. */
export function goName(name: string): string {
  return camelCase(name).replace(/Id$/, 'ID');
}
