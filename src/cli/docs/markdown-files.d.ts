/** A help topic; the build and the tests give it as its text. */
declare module '*.md' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: this is how bundlers give a text.
  export default text;
}
