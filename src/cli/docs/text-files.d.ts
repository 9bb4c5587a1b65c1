// A help topic, completion script or program of `sign --code`: the build and the tests import each as text.
declare module '*.md';
declare module '*.bash';
declare module '*.zsh';
declare module '*.fish';
declare module '*.ps1';
declare module '*.sh';
declare module '*.php';
declare module '*.py';
declare module '*.node.mjs';
declare module '*.java';
declare module '*.cs';
declare module '*.sql';
