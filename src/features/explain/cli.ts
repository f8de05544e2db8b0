import { ANSWER } from '../../cli/arguments/options.ts'
import { commands, whole } from '../../cli/arguments/records.ts'

/** `svc audit explain`, `svc policy test` */
export const COMMANDS = commands({
  'audit explain <SEQ|ACTION_ID>': {
    summary: 'Decide a recorded action again, limit by limit; exit 1 if the result differs',
    task: 'Ask why',
    options: { '--against <POLICY>': 'Decide by this policy (YAML or JSON) instead', ...ANSWER },
    example: 'svc audit explain 17 --against policy.yaml',
    load: async () => (await import('./cli_explain.ts')).explain,
  },
  'policy test <PATH>': {
    summary: 'Show which past actions a policy (YAML or JSON) would decide otherwise, and why',
    task: 'Set the rules',
    options: {
      '--last <N>': whole('The newest N actions (default 500)'),
      '--since <T>': 'Actions since then: 30d, a date or a timestamp',
      '--agent <AGENT_ID>': 'Only actions of this agent',
      '--env <ENV>': 'Only actions in this environment',
      '--fail-on-change':
        'Exit 1 if an action would differ or is unknown, or if the agent or environment has none',
      ...ANSWER,
    },
    example: 'svc policy test policy.yaml --since 30d --fail-on-change',
    load: async () => (await import('./cli_explain.ts')).testPolicy,
  },
})
