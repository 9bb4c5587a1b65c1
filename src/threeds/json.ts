/** The carrier of every 3-D Secure 2.x message: base64url of JSON, without padding. */
export function encodeJson(message: Readonly<Record<string, string>>): string {
  return Buffer.from(JSON.stringify(message)).toString('base64url');
}

/** The object behind Base64 of either alphabet; undefined for anything else. */
export function readJson(text: string): Readonly<Record<string, unknown>> | undefined {
  return parseObject(Buffer.from(text, 'base64').toString('utf8'));
}

/** The entries of a JSON object; undefined for other JSON and for text that is none. */
export function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}
