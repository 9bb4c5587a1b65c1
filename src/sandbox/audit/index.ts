export { audit, type Finding } from './report.js';
export { type RuleId, rules } from './rules.js';
