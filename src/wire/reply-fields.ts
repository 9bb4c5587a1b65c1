/** One field of a reply as it came. */
export interface ReplyMember {
  readonly name: string;
  /** Its text; of a number all its digits (A13). What is neither text nor number is JSON as it was written, without blanks. */
  readonly text: string;
  readonly isJson: boolean;
}

const memberLists = new WeakMap<ReadonlyMap<string, string>, readonly ReplyMember[]>();

/** The fields of a reply by name, all as text; null counts as absent. `membersOf` knows what each of them was. */
export function replyFields(members: readonly ReplyMember[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const { name, text, isJson } of members) if (!isJson || text !== 'null') fields.set(name, text);
  memberLists.set(fields, members);
  return fields;
}

/** The fields of a reply in the order of the gateway; those of any other map are texts. */
export function membersOf(fields: ReadonlyMap<string, string>): readonly ReplyMember[] {
  return memberLists.get(fields) ?? [...fields].map(([name, text]) => ({ name, text, isJson: false }));
}

/** The same fields with other names and texts, such as masked ones; null, true and false stay. */
export function changeTexts(
  fields: ReadonlyMap<string, string>,
  changeName: (name: string) => string,
  changeText: (name: string, text: string) => string,
): ReadonlyMap<string, string> {
  const isWord = ({ isJson, text }: ReplyMember) => isJson && /^[a-z]/.test(text);
  const changed = membersOf(fields).map((member) => ({
    ...member,
    name: changeName(member.name),
    text: isWord(member) ? member.text : changeText(member.name, member.text),
  }));
  return replyFields(changed);
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The members of an object, out of text that is known to be JSON. Objects of JavaScript would put names such as `10` first. */
export function membersIn(text: string): ReplyMember[] {
  const members: ReplyMember[] = [];
  let depth = 0;
  let name: string | undefined;
  let value = '';
  for (const [piece] of text.matchAll(token)) {
    const isEnd = depth === 1 && (piece === ',' || piece === '}');
    if (isEnd && name !== undefined) members.push(memberOf(name, value));
    if (isEnd) [name, value] = [undefined, ''];
    else if (depth === 1 && name === undefined) name = piece;
    else if (depth > 1 || (depth === 1 && !(piece === ':' && value === ''))) value += piece;
    if (piece === '{' || piece === '[') depth += 1;
    if (piece === '}' || piece === ']') depth -= 1;
  }
  return members;
}

function memberOf(name: string, value: string): ReplyMember {
  const isText = value.startsWith('"');
  const text: unknown = isText ? JSON.parse(value) : value;
  return { name: String(JSON.parse(name)), text: String(text), isJson: !isText && !/^[-\d]/.test(value) };
}
