import type { OptionSpec } from './command.ts'

export const URL_OPTION: OptionSpec = {
  flags: '--url <URL>',
  description: 'Use this service instead of the ledger here (or SERVICE_URL)',
}
export const PROFILE_OPTION: OptionSpec = {
  flags: '--profile <PROFILE>',
  description: 'Use the service of this profile of `svc profile set` (or SERVICE_PROFILE)',
}
/** Of commands that talk to a ledger. */
export const TARGET: readonly OptionSpec[] = [URL_OPTION, PROFILE_OPTION]
export const OUTPUT: OptionSpec = {
  flags: '--output <FORMAT>',
  description: 'text (default) or json',
  values: ['text', 'json'],
}
/** Of commands that list. */
export const HEADER: OptionSpec = {
  flags: '--header',
  description: 'Print a header also in a pipe, where lists are tab-separated',
}
/** Of commands whose answer pipelines show too. */
export const REPORT_OUTPUT: OptionSpec = {
  flags: '--output <FORMAT>',
  description: 'text (default), json, or markdown for comments and summaries',
  values: ['text', 'json', 'markdown'],
}
/** Of commands that print nothing but JSON. */
export const JSON_OUTPUT: OptionSpec = {
  flags: '--output <FORMAT>',
  description: 'json (the only format)',
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
    description: 'Treat runs of one session or tenant as dependent (default: as the policy says)',
    values: ['time', 'session', 'tenant'],
  },
  {
    flags: '--compare-by <WHAT>',
    description:
      'Compare by shared time, tenant or task, or all runs of the window (default: as the policy says)',
    values: ['time', 'tenant', 'task', 'window'],
  },
  { flags: '--sequential', description: 'Use intervals that stay valid however often you check' },
  { flags: '--tails', description: 'Add percentiles of the latency to JSON too' },
  { flags: '--tools', description: 'Also show tool calls of the newest runs' },
]
export const RUN_FILTERS: readonly OptionSpec[] = [
  WINDOW,
  ENV,
  ...FILTERS,
  { flags: '--trace-id <ID>', description: 'Only this trace' },
  { flags: '--session-id <ID>', description: 'Only this session' },
  { flags: '--span-id <ID>', description: 'Only this span' },
  { flags: '--outcome <HOW>', description: 'Only runs with this result: success or failed' },
  { flags: '--error-type <TYPE>', description: 'Only failed runs of this type of error' },
  { flags: '--min-latency-ms <MS>', description: 'Only runs that took so long or longer' },
  { flags: '--offset <N>', description: 'Skip the newest N (default 0, at most 500000)', number: 'whole' },
]
export const DETAILED: OptionSpec = {
  flags: '--detailed-exitcode',
  description: 'Exit 0 if it passes, 1 on an error, 3 if a limit blocks it, 4 if only data is missing',
}
export const DECISION: readonly OptionSpec[] = [
  { ...ENV, description: 'Environment', required: true },
  WINDOW,
  {
    flags: '--reason <TEXT>',
    description: 'Why; recorded in the audit log',
    required: true,
    mayBeEmpty: true,
  },
]
/** Of what decides: what the caller saw there. */
export const EXPECT: OptionSpec = {
  flags: '--expect <RELEASE_ID>',
  description:
    'Decide only if this release is live (none: if no release is); otherwise exit 1 and record nothing',
}
/** Of what promotes. */
export const FIRST: OptionSpec = {
  flags: '--first',
  description: 'Confirm that this is a first promotion; required in a strict workspace',
}
export const DECIDE: readonly OptionSpec[] = [
  ...DECISION,
  EXPECT,
  { flags: '--dry-run', description: 'Evaluate and print, write nothing' },
  DETAILED,
  OUTPUT,
  ...TARGET,
]
