/** A help topic or completion script; the build and the tests import it as text. */
declare module '*.md' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.bash' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.zsh' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.fish' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.ps1' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.sql' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}
