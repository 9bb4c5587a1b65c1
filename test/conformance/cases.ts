import * as vitest from 'vitest';
import { ids } from './rows.js';
import { protectionOf } from './signer.js';

/**
 * What a group of cases has: a hook, a case under its title as the source has it, before values are put in, or a group
 * of its own.
 */
type Member =
  | { readonly is: 'hook'; readonly register: () => void }
  | { readonly is: 'case'; readonly title: string; readonly register: () => void }
  | Group;

interface Group {
  readonly is: 'group';
  readonly name: string;
  readonly members: Member[];
}

const schemes = new Map<string, string>(
  ids.map((id) => {
    const protection = protectionOf(id);
    return [id, typeof protection === 'string' ? protection : 'control'];
  }),
);

/** Where a sample is gathered; undefined while everything is registered at once. */
let gathered: Group | undefined;

function add(member: Exclude<Member, Group>): void {
  if (gathered === undefined) member.register();
  else gathered.members.push(member);
}

/** The same as of vitest, of which a sample takes one row. */
export const test = new Proxy(vitest.test, {
  apply: (plain, self, words) =>
    add({ is: 'case', title: String(words[0]), register: () => Reflect.apply(plain, self, words) }),
  get: (plain, name) => {
    if (name !== 'each') return Reflect.get(plain, name);
    return (rows: readonly unknown[]) => (title: string, run: () => Promise<void>) => {
      const some = gathered === undefined || title === accepted ? rows : rows.slice(0, 1);
      if (some.length > 0) add({ is: 'case', title, register: () => plain.each(some)(title, run) });
    };
  },
});

export function describe(name: string, define: () => void): void {
  if (gathered === undefined) {
    vitest.describe(name, define);
    return;
  }
  const outer = gathered;
  const group: Group = { is: 'group', name, members: [] };
  outer.members.push(group);
  gathered = group;
  define();
  gathered = outer;
}

export const beforeAll = (work: () => Promise<void>) => add({ is: 'hook', register: () => vitest.beforeAll(work) });
export const afterAll = (work: () => void | Promise<void>) =>
  add({ is: 'hook', register: () => vitest.afterAll(work) });

/** What the last test of a group says, which holds what came of the others. */
export const closing = 'and nothing has changed by all that';
export const signatures = 'holds every signature against its recipe';
export const switchedSignatures = 'holds switched signatures against theirs';
/** Tried with every operation. */
export const accepted = '%s is accepted and answers its record';

/** Registers the first case of each kind instead of all, and one for each operation: the same in every run. */
export function sampled(name: string, define: () => void): void {
  const root: Group = { is: 'group', name, members: [] };
  gathered = root;
  define();
  gathered = undefined;
  register(chosen(root, [], new Set()));
}

/** What is left of a group. */
function chosen({ name, members }: Group, outer: readonly string[], seen: Set<string>): Group {
  const path = [...outer, name];
  const kept = members.flatMap((member): Member[] => {
    if (member.is === 'hook') return [member];
    if (member.is === 'group') {
      const group = chosen(member, path, seen);
      return isEmpty(group) ? [] : [group];
    }
    if (member.title === closing) return [member];
    const isNew = !seen.has(kindOf(path, member.title));
    seen.add(kindOf(path, member.title));
    return isNew ? [member] : [];
  });
  return { is: 'group', name, members: kept };
}

/**
 * A case counts once for all operations; about signatures once for each scheme, and once for each switch that changes
 * one.
 */
function kindOf(path: readonly string[], title: string): string {
  const [, about, one = ''] = path;
  if (about === signatures) return `${schemes.get(one)} ${title}`;
  return about === switchedSignatures ? one : title;
}

function isEmpty({ members }: Group): boolean {
  return members.every((member) =>
    member.is === 'group' ? isEmpty(member) : member.is === 'hook' || member.title === closing,
  );
}

function register(group: Group): void {
  vitest.describe(group.name, () => {
    for (const member of group.members)
      if (member.is === 'group') register(member);
      else member.register();
  });
}
