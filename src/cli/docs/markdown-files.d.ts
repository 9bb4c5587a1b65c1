/** A help topic; the build and the tests import it as text. */
declare module '*.md' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}
