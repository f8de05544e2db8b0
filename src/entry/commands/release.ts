import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { PROMOTED_PARTS } from './parts.ts'
import {
  DECIDE,
  DECISION,
  FIRST,
  DETAILED,
  ENV,
  EXPECT,
  FILTERS,
  INTERVALS,
  JSON_OUTPUT,
  REPORT_OUTPUT,
  TARGET,
  WINDOW,
  ANSWER,
  LISTED,
  PLACE,
} from '../../cli/arguments/options.ts'
import { among, commands, maybeEmpty, reason, required, whole } from '../../cli/arguments/records.ts'
const STATUSES: readonly PromotionRequest['status'][] = ['pending', 'completed', 'cancelled']

/** A rollback asks for a window in its own words. */
const { '--window <W>': _, ...ROLLBACK } = DECIDE

/** `svc release …` and `svc live` */
export const COMMANDS = commands({
  'release init <DIR>': {
    summary: 'Write a release.yaml to fill in, for another agent',
    task: 'Register releases and send runs',
    options: TARGET,
    example: 'svc release init agents/triage-bot',
    load: async () => (await import('../../cli/release/init.ts')).initRelease,
  },
  'release register <PATH>': {
    summary: 'Register a release.yaml or its folder, and print its id',
    task: 'Register releases and send runs',
    options: {
      ...ENV,
      '--store-files': 'Store the text of its files too, up to 1 MB (default: hashes only)',
      '--reuse': 'If the same bundle is registered for this environment at the same prices, print its id',
      ...ANSWER,
    },
    example: 'svc release register ./my-agent --env prod',
    load: async () => (await import('../../cli/release/release_bundle.ts')).register,
  },
  'release validate <PATH>': {
    summary:
      'Check whether a release.yaml, or its folder, can be registered, and print its checksum. With --url or --profile also check whether that service has a price for its model',
    task: 'Register releases and send runs',
    options: ANSWER,
    example: 'svc release validate ./my-agent',
    load: async () => (await import('../../cli/release/release_bundle.ts')).validate,
  },
  'release list': {
    summary: 'List releases, newest first',
    task: 'Register releases and send runs',
    options: {
      '--agent <AGENT_ID>': 'Only this agent',
      '--env <ENV>': 'Only those registered for this environment',
      '--limit <N>': whole('The newest N (default all)'),
      ...LISTED,
    },
    example: 'svc release list --agent support-bot --limit 5',
    load: async () => (await import('../../cli/release/release.ts')).list,
  },
  'release show <RELEASE_ID>': {
    summary: 'Show a release with its artifact, as JSON',
    options: { ...JSON_OUTPUT, ...TARGET },
    example: 'svc release show rel_0123456789ab',
    load: async () => (await import('../../cli/release/release.ts')).show,
  },
  'release verify <RELEASE_ID>': {
    summary: 'Compare a bundle with the checksum of a release; exit 2 if they differ',
    options: { '--path <BUNDLE_PATH>': required('The bundle: a release.yaml or its folder'), ...ANSWER },
    example: 'svc release verify rel_0123456789ab --path ./my-agent',
    load: async () => (await import('../../cli/release/release_bundle.ts')).verify,
  },
  'release diff <BASELINE_ID> <CANDIDATE_ID>': {
    summary: 'Compare two releases: cost, latency, errors, scores and the policy',
    task: 'Compare and decide',
    options: {
      ...WINDOW,
      ...ENV,
      ...FILTERS,
      ...INTERVALS,
      '--fail-on-policy': 'Exit 1 if the policy fails, after printing',
      ...DETAILED,
      '--by <WHAT>': among(
        ['tenant', 'task', 'model', 'error'],
        'Split the difference by tenant, task, model or error',
      ),
      '--metric <NAME>': among(
        ['cost_per_run_usd', 'latency_ms', 'error_rate'],
        'What to split, with --by (default cost_per_run_usd)',
      ),
      ...REPORT_OUTPUT,
      ...TARGET,
    },
    example: 'svc release diff rel_0123456789ab rel_ba9876543210 --window 7d --env prod --fail-on-policy',
    run: async invocation =>
      invocation.options.given('by')
        ? (await import('../../features/groups/cli_groups.ts')).diffByGroup(invocation)
        : (await import('../../cli/release/diff.ts')).diff(invocation),
  },
  'release promote <RELEASE_ID>': {
    summary: 'Promote a release if the policy passes; exit 1 if it blocks',
    task: 'Compare and decide',
    options: { ...FIRST, ...DECIDE },
    example: 'svc release promote rel_0123456789ab --env prod --window 7d --reason "cheaper, same quality"',
    load: async () => (await import('../../cli/release/decisions.ts')).promote,
  },
  'release rollback <RELEASE_ID>': {
    summary: 'Roll back to a release if the policy passes; exit 1 if it blocks',
    task: 'Compare and decide',
    options: {
      ...ROLLBACK,
      '--window <W>': maybeEmpty('How far back: 7d, 24h, 30m; required except with --force'),
      '--force':
        'Skip the policy and go back to a release that was live before (needs allow_forced_rollback)',
      '--exclude-unusable':
        'Leave out runs of another agent or without a price: at most 5 % of the runs of a release',
    },
    example: 'svc release rollback rel_0123456789ab --env prod --window 24h --reason "errors since noon"',
    load: async () => (await import('../../cli/release/decisions.ts')).rollback,
  },
  live: {
    also: 'release promoted',
    summary: 'List the live releases: version, since when, who promoted each, and why',
    task: 'Compare and decide',
    options: { ...PLACE, ...LISTED },
    example: 'svc live --agent support-bot --env prod',
    load: async () => (await import('../../cli/release/promoted.ts')).promotedOf(PROMOTED_PARTS),
  },
  'release promote-request <RELEASE_ID>': {
    summary: 'Request a promotion that somebody else approves, and print the request_id',
    options: { ...DECISION, ...EXPECT, ...FIRST, ...DETAILED, ...ANSWER },
    example: 'svc release promote-request rel_0123456789ab --env prod --window 7d --reason "ready"',
    load: async () => (await import('../../cli/release/decisions.ts')).promoteRequest,
  },
  'release requests': {
    summary: 'List promotion requests, newest first',
    lists: 'promotion request',
    options: { '--status <STATUS>': among(STATUSES, 'Only these'), ...LISTED },
    example: 'svc release requests --status pending',
    load: async () => (await import('../../cli/approvals/approvals.ts')).requests,
  },
  'release approve <REQUEST_ID>': {
    also: 'release promote-confirm',
    summary: 'Approve a requested promotion',
    options: {
      '--reason, --approval-reason <TEXT>': reason('Why it is approved'),
      ...EXPECT,
      '--dry-run': 'Evaluate and print what has changed since the request, write nothing',
      ...DETAILED,
      ...ANSWER,
    },
    example: 'svc release approve prq_0123456789ab --reason "checked the diff"',
    load: async () => (await import('../../cli/approvals/approvals.ts')).promoteConfirm,
  },
  'release promote-reject <REQUEST_ID>': {
    summary: 'Reject a requested promotion',
    options: { '--reason <TEXT>': reason('Why'), ...ANSWER },
    example: 'svc release promote-reject prq_0123456789ab --reason "latency is not explained"',
    load: async () => (await import('../../cli/approvals/approvals.ts')).promoteReject,
  },
  'release history': {
    summary: 'List decisions, newest first',
    task: 'Ask why',
    options: { ...PLACE, '--limit <N>': whole('The newest N (default all)'), ...LISTED },
    example: 'svc release history --agent support-bot --env prod',
    load: async () => (await import('../../cli/release/history.ts')).history,
  },
})
