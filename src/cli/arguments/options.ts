import type { OptionSpec } from './command.ts'

export const URL_OPTION: OptionSpec = {
  flags: '--url <URL>',
  description: 'Talk to this service instead of the ledger here (or SERVICE_URL)',
}
export const PROFILE_OPTION: OptionSpec = {
  flags: '--profile <PROFILE>',
  description: 'Talk to the service that `svc profile set` calls so (or SERVICE_PROFILE)',
}
/** Of commands that talk to a ledger. */
export const TARGET: readonly OptionSpec[] = [URL_OPTION, PROFILE_OPTION]
export const OUTPUT: OptionSpec = {
  flags: '--output <FORMAT>',
  description: 'text (default) or json',
  values: ['text', 'json'],
}
/** Of commands that list. */
export const HEADER: OptionSpec = { flags: '--header', description: 'Name the columns in a pipe too' }
/** Of commands whose answer pipelines show too. */
export const REPORT_OUTPUT: OptionSpec = {
  flags: '--output <FORMAT>',
  description: 'text (default), json, or markdown for comments and summaries',
  values: ['text', 'json', 'markdown'],
}
/** Of commands that print nothing but JSON. */
export const JSON_OUTPUT: OptionSpec = {
  flags: '--output <FORMAT>',
  description: 'json, which it is anyway',
  values: ['json'],
}
export const LIMIT: OptionSpec = { flags: '--limit <N>', description: 'At most N', number: 'whole' }
export const ENV: OptionSpec = { flags: '--env <ENV>', description: "Environment (default: the workspace's)" }
export const WINDOW: OptionSpec = {
  flags: '--window <W>',
  description: 'How far back: 7d, 24h, 30m',
  required: true,
  mayBeEmpty: true,
}
export const FILTERS: readonly OptionSpec[] = [
  { flags: '--tenant <ID>', description: 'Only this tenant_id' },
  { flags: '--task <ID>', description: 'Only this task_id' },
]
export const INTERVALS: readonly OptionSpec[] = [
  {
    flags: '--cluster-by <WHAT>',
    description: 'What runs resemble each other within (default: as the policy says)',
    values: ['time', 'session', 'tenant'],
  },
  {
    flags: '--compare-by <WHAT>',
    description:
      'What is compared: time in which both ran, each tenant or task, or the window as it is (default: as the policy says)',
    values: ['time', 'tenant', 'task', 'window'],
  },
  { flags: '--sequential', description: 'Intervals that hold however often they are asked for' },
  { flags: '--tails', description: 'Percentiles of the latency in JSON too, as text has them' },
  { flags: '--tools', description: 'Also what the newest runs did with tools' },
]
export const RUN_FILTERS: readonly OptionSpec[] = [
  WINDOW,
  ENV,
  ...FILTERS,
  { flags: '--trace-id <ID>', description: 'Only this trace' },
  { flags: '--session-id <ID>', description: 'Only this session' },
  { flags: '--span-id <ID>', description: 'Only this span' },
  { flags: '--outcome <HOW>', description: 'Only runs that ended so: success or failed' },
  { flags: '--error-type <TYPE>', description: 'Only failed runs of this type of error' },
  { flags: '--min-latency-ms <MS>', description: 'Only runs that took so long or longer' },
  { flags: '--offset <N>', description: 'Skip the newest N (default 0, at most 500000)', number: 'whole' },
]
export const DETAILED: OptionSpec = {
  flags: '--detailed-exitcode',
  description: 'Exit 0 where it passes, 1 on an error, 3 where it is blocked, 4 for want of evidence',
}
export const DECISION: readonly OptionSpec[] = [
  { ...ENV, description: 'Environment', required: true },
  WINDOW,
  { flags: '--reason <TEXT>', description: 'Why; kept in the audit trail', required: true, mayBeEmpty: true },
]
/** Of what decides: what the caller saw there. */
export const EXPECT: OptionSpec = {
  flags: '--expect <RELEASE_ID>',
  description:
    'Decide only if this release is still live there (none: nothing is); otherwise exit 1, and nothing is recorded',
}
/** Of what promotes. */
export const FIRST: OptionSpec = {
  flags: '--first',
  description: 'Say that a first promotion is meant; a strict workspace asks for it',
}
export const DECIDE: readonly OptionSpec[] = [
  ...DECISION,
  EXPECT,
  { flags: '--dry-run', description: 'Evaluate and print, write nothing' },
  DETAILED,
  OUTPUT,
  ...TARGET,
]
