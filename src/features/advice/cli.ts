import { ENV, TARGET, ANSWER } from '../../cli/arguments/options.ts'
import { commands, required } from '../../cli/arguments/records.ts'
import { TEMPLATE_NAMES } from './templates.ts'

/** `svc policy advise`, `svc policy template` and `svc init --guided` */
export const COMMANDS = commands({
  'policy advise': {
    summary: 'Show which limits the traffic of an agent can prove',
    task: 'Set the rules',
    options: {
      '--agent <AGENT_ID>': required('The agent'),
      ...ENV,
      '--window <W>': 'How far back to look (default 14d)',
      ...ANSWER,
    },
    example: 'svc policy advise --agent support-bot --env prod',
    load: async () => (await import('./cli_advise.ts')).advise,
  },
  'policy template': {
    summary: 'Print a starter policy for your traffic, with each limit explained',
    task: 'Set the rules',
    options: {
      '--for <PURPOSE>': required('What the policy is for', { values: TEMPLATE_NAMES }),
      '--agent <AGENT_ID>': 'Take absolute limits from the runs of the live release of this agent',
      '--from <RELEASE_ID>': 'Take them from the runs of this release',
      ...ENV,
      ...TARGET,
    },
    example: 'svc policy template --for ci --agent support-bot --env ci > policy.yaml',
    load: async () => (await import('./cli_advise.ts')).template,
  },
})
