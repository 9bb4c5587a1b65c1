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

interface Gathering {
  readonly group: Group;
  readonly rows: 'all rows' | 'first row';
}

/** Where cases are gathered, of which some are registered; undefined while all are registered at once. */
let gathered: Gathering | undefined;

function add(member: Exclude<Member, Group>): void {
  if (gathered === undefined) member.register();
  else gathered.group.members.push(member);
}

/** The same as of vitest, of which a sample takes one row. */
export const test = new Proxy(vitest.test, {
  apply: (plain, self, words) =>
    add({ is: 'case', title: String(words[0]), register: () => Reflect.apply(plain, self, words) }),
  get: (plain, name) => {
    if (name !== 'each') return Reflect.get(plain, name);
    return (rows: readonly unknown[]) => (title: string, run: () => Promise<void>) => {
      const some = gathered?.rows !== 'first row' || title === accepted ? rows : rows.slice(0, 1);
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
  outer.group.members.push(group);
  gathered = { ...outer, group };
  define();
  gathered = outer;
}

export const beforeAll = (work: () => Promise<void>) => add({ is: 'hook', register: () => vitest.beforeAll(work) });
export const afterAll = (work: () => void | Promise<void>) =>
  add({ is: 'hook', register: () => vitest.afterAll(work) });

/** What the last test of a group says, which holds what came of the others. */
export const closing = 'and nothing has changed by all that';
export const frame = 'holds every request against its frame';
export const signatures = 'holds every signature against its recipe';
export const switchedSignatures = 'holds switched signatures against theirs';
/** Tried with every operation. */
export const accepted = '%s is accepted and answers its record';

/** Registers the first case of each kind instead of all, and one for each operation: the same in every run. */
export function sampled(name: string, define: () => void): void {
  registerSome(name, define, 'first row', Number.POSITIVE_INFINITY);
}

/**
 * Registers all cases but those about signatures and about the frame of a request, of which it takes one in sixteen and
 * one in four of each kind, the first of them and all its rows; all cases with EVERY_WAY=1.
 */
export function thinned(name: string, define: () => void): void {
  registerSome(name, define, 'all rows', 16);
}

/** Of each kind the first case, and from there one in so many. */
function registerSome(name: string, define: () => void, rows: Gathering['rows'], many: number): void {
  const root: Group = { is: 'group', name, members: [] };
  gathered = { group: root, rows };
  define();
  gathered = undefined;
  register(chosen(root, [], { rows, many, counts: new Map() }));
}

interface Sample {
  readonly rows: Gathering['rows'];
  readonly many: number;
  /** How many cases of each kind there were so far. */
  readonly counts: Map<string, number>;
}

/** What is left of a group. */
function chosen({ name, members }: Group, outer: readonly string[], sample: Sample): Group {
  const path = [...outer, name];
  const kept = members.flatMap((member): Member[] => {
    if (member.is === 'hook') return [member];
    if (member.is === 'group') {
      const group = chosen(member, path, sample);
      return isEmpty(group) ? [] : [group];
    }
    if (member.title === closing) return [member];
    // What is asked of signature and frame does not depend on the operation; the fields and moves of each are its own.
    const isFrame = path[1] === frame;
    if (sample.rows === 'all rows' && !isFrame && !isAboutSignatures(path)) return [member];
    const kind = kindOf(path, member.title, sample.rows);
    const earlier = sample.counts.get(kind) ?? 0;
    sample.counts.set(kind, earlier + 1);
    return earlier === 0 || earlier % (isFrame ? Math.ceil(sample.many / 4) : sample.many) === 0 ? [member] : [];
  });
  return { is: 'group', name, members: kept };
}

/**
 * A case counts once for all operations; about signatures once for each scheme, and once for each switch that changes
 * one.
 */
function kindOf(path: readonly string[], title: string, rows: Gathering['rows']): string {
  const [, about, one = ''] = path;
  if (about === signatures) return `${schemes.get(one)} ${title}`;
  if (about !== switchedSignatures) return title;
  return rows === 'first row' ? one : `${one} ${title}`;
}

function isAboutSignatures([, about]: readonly string[]): boolean {
  return about === signatures || about === switchedSignatures;
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
