import { oneOf } from '../../base/text.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import type { CommandSpec, OptionSpec, PromotedPart } from '../../cli/arguments/command.ts'
import {
  HEADER,
  DECIDE,
  DECISION,
  FIRST,
  DETAILED,
  ENV,
  EXPECT,
  FILTERS,
  INTERVALS,
  JSON_OUTPUT,
  LIMIT,
  OUTPUT,
  REPORT_OUTPUT,
  TARGET,
  WINDOW,
} from '../../cli/arguments/options.ts'

const AGENT: OptionSpec = { flags: '--agent <AGENT_ID>', description: 'Only this agent' }

const STATUSES: readonly PromotionRequest['status'][] = ['pending', 'completed', 'cancelled']

/** `svc release …` and `svc live`, with what features add to it. */
export const releaseCommands = (promotedParts: readonly PromotedPart[]): readonly CommandSpec[] => [
  {
    name: 'release init',
    args: '<DIR>',
    summary: 'Write a release.yaml to fill in, for another agent',
    task: 'Register releases and send runs',
    options: [...TARGET],
    example: 'svc release init agents/triage-bot',
    load: async () => (await import('../../cli/release/init.ts')).initRelease,
  },
  {
    name: 'release register',
    args: '<PATH>',
    summary: 'Register a release.yaml or its folder, and print its id',
    task: 'Register releases and send runs',
    options: [
      ENV,
      {
        flags: '--store-files',
        description: 'Store the text of its files too, up to 1 MB (default: hashes only)',
      },
      {
        flags: '--reuse',
        description: 'If the same bundle is registered for this environment at the same prices, print its id',
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release register ./my-agent --env prod',
    load: async () => (await import('../../cli/release/release_bundle.ts')).register,
  },
  {
    name: 'release validate',
    args: '<PATH>',
    summary:
      'Say whether a release.yaml, or the folder that holds one, can be registered; prints its checksum. With --url or --profile it asks that service whether its model has a price',
    task: 'Register releases and send runs',
    options: [OUTPUT, ...TARGET],
    example: 'svc release validate ./my-agent',
    load: async () => (await import('../../cli/release/release_bundle.ts')).validate,
  },
  {
    name: 'release list',
    summary: 'List releases, newest first',
    task: 'Register releases and send runs',
    options: [
      AGENT,
      { flags: '--env <ENV>', description: 'Only those registered for this environment' },
      { ...LIMIT, description: 'The newest N (default all)' },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release list --agent support-bot --limit 5',
    load: async () => (await import('../../cli/release/release.ts')).list,
  },
  {
    name: 'release show',
    args: '<RELEASE_ID>',
    summary: 'Show a release with its artifact, as JSON',
    options: [JSON_OUTPUT, ...TARGET],
    example: 'svc release show rel_0123456789ab',
    load: async () => (await import('../../cli/release/release.ts')).show,
  },
  {
    name: 'release verify',
    args: '<RELEASE_ID>',
    summary: 'Compare a bundle with the checksum of a release; exit 2 if they differ',
    options: [
      {
        flags: '--path <BUNDLE_PATH>',
        description: 'The bundle: a release.yaml or its folder',
        required: true,
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release verify rel_0123456789ab --path ./my-agent',
    load: async () => (await import('../../cli/release/release_bundle.ts')).verify,
  },
  {
    name: 'release diff',
    args: '<BASELINE_ID> <CANDIDATE_ID>',
    summary: 'Compare two releases: cost, latency, errors, scores and the policy',
    task: 'Compare and decide',
    options: [
      WINDOW,
      ENV,
      ...FILTERS,
      ...INTERVALS,
      { flags: '--fail-on-policy', description: 'Exit 1 if the policy fails, after printing' },
      DETAILED,
      REPORT_OUTPUT,
      ...TARGET,
    ],
    example: 'svc release diff rel_0123456789ab rel_ba9876543210 --window 7d --env prod --fail-on-policy',
    load: async () => (await import('../../cli/release/diff.ts')).diff,
  },
  {
    name: 'release promote',
    args: '<RELEASE_ID>',
    summary: 'Promote a release if the policy passes; exit 1 if it blocks',
    task: 'Compare and decide',
    options: [FIRST, ...DECIDE],
    example: 'svc release promote rel_0123456789ab --env prod --window 7d --reason "cheaper, same quality"',
    load: async () => (await import('../../cli/release/decisions.ts')).promote,
  },
  {
    name: 'release rollback',
    args: '<RELEASE_ID>',
    summary: 'Roll back to a release if the policy passes; exit 1 if it blocks',
    task: 'Compare and decide',
    options: [
      ...DECIDE.filter(option => option !== WINDOW),
      { ...WINDOW, required: false, description: 'How far back: 7d, 24h, 30m; required except with --force' },
      {
        flags: '--force',
        description:
          'Skip the policy and go back to a release that was live before (needs allow_forced_rollback)',
      },
      {
        flags: '--exclude-unusable',
        description:
          'Leave out runs of another agent or without a price: at most 5 % of the runs of a release',
      },
    ],
    example: 'svc release rollback rel_0123456789ab --env prod --window 24h --reason "errors since noon"',
    load: async () => (await import('../../cli/release/decisions.ts')).rollback,
  },
  {
    name: 'live',
    also: 'release promoted',
    summary: 'List the live releases: version, since when, who promoted each, and why',
    task: 'Compare and decide',
    options: [
      AGENT,
      { flags: '--env <ENV>', description: 'Only this environment' },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc live --agent support-bot --env prod',
    load: async () => (await import('../../cli/release/promoted.ts')).promotedOf(promotedParts),
  },
  {
    name: 'release promote-request',
    args: '<RELEASE_ID>',
    summary: 'Request a promotion that somebody else approves, and print the request_id',
    options: [...DECISION, EXPECT, FIRST, DETAILED, OUTPUT, ...TARGET],
    example: 'svc release promote-request rel_0123456789ab --env prod --window 7d --reason "ready"',
    load: async () => (await import('../../cli/release/decisions.ts')).promoteRequest,
  },
  {
    name: 'release requests',
    summary: 'List promotion requests, newest first',
    lists: 'promotion request',
    options: [
      { flags: '--status <STATUS>', description: `Only these: ${oneOf(STATUSES)}`, values: STATUSES },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release requests --status pending',
    load: async () => (await import('../../cli/approvals/approvals.ts')).requests,
  },
  {
    name: 'release approve',
    also: 'release promote-confirm',
    args: '<REQUEST_ID>',
    summary: 'Approve a requested promotion',
    options: [
      {
        flags: '--reason, --approval-reason <TEXT>',
        description: 'Why it is approved',
        required: true,
        mayBeEmpty: true,
      },
      EXPECT,
      {
        flags: '--dry-run',
        description: 'Evaluate and print what has changed since the request, write nothing',
      },
      DETAILED,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release approve prq_0123456789ab --reason "checked the diff"',
    load: async () => (await import('../../cli/approvals/approvals.ts')).promoteConfirm,
  },
  {
    name: 'release promote-reject',
    args: '<REQUEST_ID>',
    summary: 'Reject a requested promotion',
    options: [
      { flags: '--reason <TEXT>', description: 'Why', required: true, mayBeEmpty: true },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release promote-reject prq_0123456789ab --reason "latency is not explained"',
    load: async () => (await import('../../cli/approvals/approvals.ts')).promoteReject,
  },
  {
    name: 'release history',
    summary: 'List decisions, newest first',
    task: 'Ask why',
    options: [
      AGENT,
      { flags: '--env <ENV>', description: 'Only this environment' },
      { ...LIMIT, description: 'The newest N (default all)' },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release history --agent support-bot --env prod',
    load: async () => (await import('../../cli/release/history.ts')).history,
  },
]
