import { compareTexts, type Mistake, remedyFor, type Stretch } from '../../../signing/diagnose/index.js';
import { TextWithCode } from './layout.js';
import type { SidesCompared, TypedSides } from './signing-comparison.js';

interface SigningProps {
  readonly typed: Omit<TypedSides, 'key'>;
  readonly result?: SidesCompared | undefined;
  /** Why nothing could be compared. */
  readonly problem?: string | undefined;
}

/** Two programs that should have signed the same. What is typed here is compared and forgotten. */
export function SigningPage({ typed, result, problem }: SigningProps) {
  return (
    <>
      <h1>Signing</h1>
      <p class="hint">
        Find out why a signature or checksum (control) was refused. Paste both sides: they are compared inside this
        sandbox, nothing leaves this machine, and nothing typed here is stored.
      </p>
      {problem === undefined ? null : (
        <section class="empty" role="alert" aria-labelledby="problem-title">
          <h2 id="problem-title">Nothing was compared</h2>
          <p>
            <TextWithCode text={problem} />
          </p>
        </section>
      )}
      {result === undefined ? null : <Result result={result} />}
      <SidesForm typed={typed} />
    </>
  );
}

// Some browsers send what they check for spelling to a server of theirs. A false value would leave the attribute out.
const plain: Readonly<Record<string, string>> = {
  autocomplete: 'off',
  autocapitalize: 'off',
  autocorrect: 'off',
  spellcheck: 'false',
};

function SidesForm({ typed }: Pick<SigningProps, 'typed'>) {
  return (
    <form class="sides" method="post" action="/signing" autocomplete="off">
      <fieldset>
        <legend>Their side</legend>
        <label for="theirs">Request, base string, Authorization header or checksum text</label>
        <textarea id="theirs" name="theirs" rows={9} aria-describedby="theirs-hint" {...plain}>
          {typed.theirs}
        </textarea>
        <p class="hint" id="theirs-hint">
          A curl command or an HTTP request, as it was sent; or the text that the other program signed.
        </p>
        <label for="signature">Signature or checksum (control), if it is not in the request</label>
        <input id="signature" name="signature" type="text" value={typed.signature} {...plain} />
      </fieldset>
      <fieldset>
        <legend>Our side</legend>
        <label for="ours">Request, base string or checksum text</label>
        <textarea id="ours" name="ours" rows={9} aria-describedby="ours-hint" {...plain}>
          {typed.ours}
        </textarea>
        <p class="hint" id="ours-hint">
          May be empty if their whole request is pasted: the correct text is then derived from it.
        </p>
        <label for="key">Key: control key, or RSA key as PEM</label>
        <textarea id="key" name="key" rows={2} class="masked" aria-describedby="key-hint" {...plain} />
        <p class="hint" id="key-hint">
          If empty, the key of the endpoint in this sandbox is used. A key is used for one comparison only; type it
          again for the next.
        </p>
      </fieldset>
      <p class="field buttons">
        <button type="submit">Compare</button>
        <a href="/signing">Clear</a>
      </p>
    </form>
  );
}

function Result({ result }: { readonly result: SidesCompared }) {
  const { match, what, operation, diagnosis, remedy, ours, theirs, isSupposed } = result;
  const of = operation === undefined ? '' : ` of this ${operation} request`;
  const verdict =
    what === 'text'
      ? `The texts${of} ${match ? 'are the same' : 'differ'}`
      : `The ${what}${of} is ${match ? 'right' : 'wrong'}`;
  return (
    <section aria-labelledby="result-title" class="result">
      <h2 id="result-title">Result</h2>
      <p class="lead">
        <span class={`status ${match ? 'is-approved' : 'is-declined'}`}>{match ? 'matches' : 'does not match'}</span>{' '}
        <span class="stage">{verdict}.</span>
      </p>
      {match && what === 'text' ? (
        <p>Both sides sign the same text. The difference must be in the key or in how the signature is encoded.</p>
      ) : null}
      {diagnosis === undefined || match ? null : (
        <Explanations
          diagnosis={diagnosis}
          remedy={remedy}
          isMarked={ours !== undefined && theirs !== undefined && theirs !== ours}
        />
      )}
      {match || ours === undefined ? null : <Texts ours={ours} theirs={theirs} isSupposed={isSupposed} />}
    </section>
  );
}

interface ExplanationsProps {
  readonly diagnosis: NonNullable<SidesCompared['diagnosis']>;
  readonly remedy: SidesCompared['remedy'];
  /** Whether both texts are shown, with their differences marked. */
  readonly isMarked: boolean;
}

function Explanations({ diagnosis: { explanations }, remedy, isMarked }: ExplanationsProps) {
  if (explanations.length === 0)
    return (
      <p>
        No known mistake explains it. Compare the {isMarked ? 'marked places' : 'correct text'} below, the key, and
        every field.
      </p>
    );
  return (
    <>
      <h3>{explanations.length === 1 ? 'Explanation' : 'Possible explanations, likeliest first'}</h3>
      <ol class="findings">
        {explanations.map((mistakes) => (
          <li class="finding">
            {mistakes.map((mistake) => (
              <MistakeItem mistake={mistake} remedy={remedy} />
            ))}
          </li>
        ))}
      </ol>
    </>
  );
}

interface MistakeItemProps extends Pick<ExplanationsProps, 'remedy'> {
  readonly mistake: Mistake;
}

function MistakeItem({ mistake, remedy }: MistakeItemProps) {
  return (
    <>
      <h4>
        {mistake.name} <span class="stage">({mistake.variant})</span>
      </h4>
      <p>{mistake.detail}</p>
      <p>
        <strong>Change:</strong> <TextWithCode text={remedyFor(mistake, remedy)} />
      </p>
    </>
  );
}

interface TextsProps {
  readonly ours: string;
  readonly theirs: string | undefined;
  readonly isSupposed: boolean;
}

// Characters that happen to be equal between two differences are no help to the eye.
const shortestSame = 3;

function Texts({ ours, theirs, isSupposed }: TextsProps) {
  if (theirs === undefined || theirs === ours)
    return (
      <>
        <h3>The correct text</h3>
        <pre class="signed">
          <code translate="no">{visible(ours)}</code>
        </pre>
      </>
    );
  const stretches = compareTexts(ours, theirs, shortestSame);
  return (
    <>
      <h3>The texts that were signed</h3>
      <dl class="texts">
        <dt>Ours</dt>
        <dd>
          <Marked stretches={stretches} side="ours" />
        </dd>
        <dt>{isSupposed ? 'Theirs, assuming the likeliest explanation above' : 'Theirs'}</dt>
        <dd>
          <Marked stretches={stretches} side="theirs" />
        </dd>
      </dl>
      <p class="hint">Text that only one side has is underlined.</p>
    </>
  );
}

function Marked({ stretches, side }: { readonly stretches: readonly Stretch[]; readonly side: 'ours' | 'theirs' }) {
  return (
    <code class="signed" translate="no">
      {stretches.map(({ [side]: text, isSame }) => {
        if (isSame || text === '') return visible(text);
        return side === 'ours' ? <ins>{visible(text)}</ins> : <del>{visible(text)}</del>;
      })}
    </code>
  );
}

/** Characters that nobody would see, by their number. */
function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0]/gu,
      (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    );
}
