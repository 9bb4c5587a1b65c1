// Stands for what chalk finds out about the terminal at its start, which costs time: every painter here is made with a level.
export default { stdout: false, stderr: false };
