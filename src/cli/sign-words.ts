/** Commands of `sign` that take the words and flags of an operation: `sign diff sale --amount …`. */
export const signOperationTools: ReadonlySet<string> = new Set(['verify', 'diff', 'find-mistake', 'curl', 'php', 'python']);
