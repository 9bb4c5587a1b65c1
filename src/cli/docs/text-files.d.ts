/** A help topic, completion script or program of `sign --code`; the build and the tests import it as text. */
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

declare module '*.sh' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.php' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.py' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.node.mjs' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.java' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.cs' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}

declare module '*.sql' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: bundlers export a text as default.
  export default text;
}
