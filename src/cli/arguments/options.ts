import type { OptionSpec } from './command.ts'

export const URL_OPTION: OptionSpec = {
  flags: '--url <URL>',
  description: 'Talk to this service instead of the ledger here (or SERVICE_URL)',
}
export const OUTPUT: OptionSpec = { flags: '--output <FORMAT>', description: 'text (default) or json' }
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
    description:
      'Runs of a session or tenant resemble each other (session or tenant; default: blocks of time)',
  },
  { flags: '--sequential', description: 'Intervals that hold however often they are asked for' },
  { flags: '--tools', description: 'Also what the newest runs did with tools' },
]
export const GROUPS: readonly OptionSpec[] = [
  { flags: '--by <WHAT>', description: 'Split the difference by tenant, task, model or error' },
  {
    flags: '--metric <NAME>',
    description: 'With --by: cost_per_run_usd (default), latency_ms or error_rate',
  },
]
export const RUN_FILTERS: readonly OptionSpec[] = [
  WINDOW,
  ENV,
  ...FILTERS,
  { flags: '--trace-id <ID>', description: 'Only this trace' },
  { flags: '--session-id <ID>', description: 'Only this session' },
  { flags: '--span-id <ID>', description: 'Only this span' },
  { flags: '--offset <N>', description: 'Skip the newest N (default 0, at most 500000)' },
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
export const DECIDE: readonly OptionSpec[] = [
  ...DECISION,
  { flags: '--dry-run', description: 'Evaluate and print, write nothing' },
  DETAILED,
  OUTPUT,
  URL_OPTION,
]
