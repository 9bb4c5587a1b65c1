/** One case of a test report; with a failure when it did not pass, with a reason when it was skipped. */
export interface JunitCase {
  readonly name: string;
  readonly group: string;
  readonly failures: readonly { readonly message: string; readonly text: string }[];
  readonly skipped?: string;
}

/** A report in JUnit XML, for build servers. */
export function junit(suite: string, cases: readonly JunitCase[]): string {
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const skipped = cases.filter((each) => each.skipped !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failed}" errors="0" skipped="${skipped}"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(suite)}" ${counts}>`,
    `  <testsuite name="${escaped(suite)}" ${counts}>`,
    ...cases.map(caseText),
    '  </testsuite>',
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

function caseText({ name, group, failures, skipped }: JunitCase): string {
  const head = `    <testcase classname="${escaped(group)}" name="${escaped(name)}"`;
  if (skipped !== undefined) return `${head}>\n      <skipped message="${escaped(skipped)}" />\n    </testcase>`;
  if (failures.length === 0) return `${head} />`;
  // Some readers support only one failure per case.
  const [{ message } = { message: '' }] = failures;
  const text = failures.map((failure) => failure.text).join('\n');
  return `${head}>\n      <failure message="${escaped(message)}" type="finding">${escaped(text)}</failure>\n    </testcase>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Characters that XML cannot contain become U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
