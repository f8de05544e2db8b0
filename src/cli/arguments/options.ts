import type { CommandSpec } from './command.ts'
import { type OptionTable, among, reason, required, whole } from './records.ts'

const SERVICE_TEXT = 'Use this service instead of the ledger here (or SERVICE_URL)'
export const PROFILE_OPTION: OptionTable = {
  '--profile <PROFILE>': 'Use the service of this profile of `svc profile set` (or SERVICE_PROFILE)',
}
/** Of commands that talk to a ledger. */
export const TARGET: OptionTable = { '--url <URL>': SERVICE_TEXT, ...PROFILE_OPTION }

/** Whether the --url of a command names the service it talks to. */
export function takesService({ options = [] }: CommandSpec): boolean {
  return options.some(({ description }) => description === SERVICE_TEXT)
}

export const OUTPUT: OptionTable = { '--output <FORMAT>': among(['text', 'json'], 'text (default) or json') }
/** Of commands that list. */
export const HEADER: OptionTable = {
  '--header': 'Print a header also in a pipe, where lists are tab-separated',
}
/** Of commands that talk to a ledger and print what it answers. */
export const ANSWER: OptionTable = { ...OUTPUT, ...TARGET }
export const LISTED: OptionTable = { ...HEADER, ...ANSWER }
/** Of commands whose answer pipelines show too. */
export const REPORT_OUTPUT: OptionTable = {
  '--output <FORMAT>': among(
    ['text', 'json', 'markdown'],
    'text (default), json, or markdown for comments and summaries',
  ),
}
/** Of commands that print nothing but JSON. */
export const JSON_OUTPUT: OptionTable = { '--output <FORMAT>': among(['json'], 'json (the only format)') }
export const LIMIT: OptionTable = { '--limit <N>': whole('At most N') }
export const ENV: OptionTable = { '--env <ENV>': "Environment (default: the workspace's)" }
export const WINDOW: OptionTable = { '--window <W>': reason('How far back: 7d, 24h, 30m') }
export const PLACE: OptionTable = {
  '--agent <AGENT_ID>': 'Only this agent',
  '--env <ENV>': 'Only this environment',
}
export const FILTERS: OptionTable = {
  '--tenant <ID>': 'Only this tenant_id',
  '--task <ID>': 'Only this task_id',
}
export const INTERVALS: OptionTable = {
  '--cluster-by <WHAT>': among(
    ['time', 'session', 'tenant'],
    'Treat runs of one session or tenant as dependent (default: as the policy says)',
  ),
  '--compare-by <WHAT>': among(
    ['time', 'tenant', 'task', 'window'],
    'Compare by shared time, tenant or task, or all runs of the window (default: as the policy says)',
  ),
  '--sequential': 'Use intervals that stay valid however often you check',
  '--tails': 'Add percentiles of the latency to JSON too',
  '--tools': 'Also show tool calls of the newest runs',
}
export const RUN_FILTERS: OptionTable = {
  ...WINDOW,
  ...ENV,
  ...FILTERS,
  '--trace-id <ID>': 'Only this trace',
  '--session-id <ID>': 'Only this session',
  '--span-id <ID>': 'Only this span',
  '--outcome <HOW>': 'Only runs with this result: success or failed',
  '--error-type <TYPE>': 'Only failed runs of this type of error',
  '--min-latency-ms <MS>': 'Only runs that took so long or longer',
  '--offset <N>': whole('Skip the newest N (default 0, at most 500000)'),
}
export const DETAILED: OptionTable = {
  '--detailed-exitcode':
    'Exit 0 if it passes, 1 on an error, 3 if a limit blocks it, 4 if only data is missing',
}
export const IN_ENV: OptionTable = { '--env <ENV>': required('Environment') }
export const REASON: OptionTable = { '--reason <TEXT>': reason('Why; recorded in the audit log') }
export const DECISION: OptionTable = { ...IN_ENV, ...WINDOW, ...REASON }
/** Of what decides: what the caller saw there. */
export const EXPECT: OptionTable = {
  '--expect <RELEASE_ID>':
    'Decide only if this release is live (none: if no release is); otherwise exit 1 and record nothing',
}
export const FIRST: OptionTable = {
  '--first': 'Confirm that this is a first promotion; required in a strict workspace',
}
export const DECIDE: OptionTable = {
  ...DECISION,
  ...EXPECT,
  '--dry-run': 'Evaluate and print, write nothing',
  ...DETAILED,
  ...ANSWER,
}
