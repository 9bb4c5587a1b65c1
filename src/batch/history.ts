import type { Event, Journal } from '../journal/port.js';

/** Who paused or cancelled a batch, and why. */
export interface Held {
  readonly state: 'paused' | 'cancelled';
  readonly at: number;
  readonly by: string;
  readonly host: string;
  readonly reason: string;
}

/** Undefined for a batch that is neither paused nor cancelled. */
export async function heldBy(journal: Pick<Journal, 'events'>, batch: string): Promise<Held | undefined> {
  const newest = (await journal.events({ batch })).findLast(({ reason }) => reason === 'batch-state');
  const { to: state, host = '', reason = '' } = newest?.facts ?? {};
  if (newest === undefined || (state !== 'paused' && state !== 'cancelled')) return undefined;
  return { state, at: newest.at, by: newest.who, host: String(host), reason: String(reason) };
}

/** Such as `paused by ada on laptop: the bank called`. */
export function heldText({ state, by, host, reason }: Held): string {
  return `${state} by ${by}${host === '' ? '' : ` on ${host}`}${reason === '' ? '' : `: ${reason}`}`;
}

/** Something that happened to a batch. */
export interface Happened {
  readonly at: number;
  readonly what: string;
  readonly by: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The oldest first. */
export async function readHistory(
  journal: Pick<Journal, 'events' | 'approvals'>,
  batch: string,
): Promise<readonly Happened[]> {
  const approvals = await journal.approvals(batch);
  return [
    ...(await journal.events({ batch })).map(readEvent),
    ...approvals.map(({ at, role, total }) => ({ at, what: 'approved', by: role, facts: { total } })),
  ].sort((one, other) => one.at - other.at);
}

function readEvent({ at, who, reason, facts: { batch: _, from, to, ...facts } }: Event): Happened {
  const state = from === 'planning' && to === 'stopped' ? 'planned' : String(to);
  return { at, what: reason === 'batch-state' ? state : reason, by: who, facts };
}
