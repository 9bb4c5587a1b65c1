// What chalk finds out about the terminal at its start: every painter here is told whether to paint.
export default { stdout: false, stderr: false };
