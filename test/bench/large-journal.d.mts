export function fillJournal(folder: string, count: number, profile?: string, now?: number): void;
