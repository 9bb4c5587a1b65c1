import { type ConfigPorts, readSources } from './sources.js';

/** Who may approve batches by the user's own file: by name, the path of a public key, or the key itself in Base64. */
export async function approversIn(ports: ConfigPorts): Promise<ReadonlyMap<string, string>> {
  return (await readSources(ports)).user?.approvers ?? new Map();
}
