import type { CommandBranch, CommandSpec } from '../../cli/arguments/command.ts'
import { ENV, OUTPUT, TARGET } from '../../cli/arguments/options.ts'
import { TEMPLATE_NAMES } from './templates.ts'

/** `svc policy advise`, `svc policy template` and `svc init --guided` */
export const ADVICE_COMMANDS: readonly (CommandBranch | CommandSpec)[] = [
  {
    name: 'policy advise',
    summary: 'Show which limits the traffic of an agent can prove',
    task: 'Set the rules',
    options: [
      { flags: '--agent <AGENT_ID>', description: 'The agent', required: true },
      ENV,
      { flags: '--window <W>', description: 'How far back to look (default 14d)' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc policy advise --agent support-bot --env prod',
    load: async () => (await import('./cli_advise.ts')).advise,
  },
  {
    name: 'policy template',
    summary: 'Print a starter policy for your traffic, with each limit explained',
    task: 'Set the rules',
    options: [
      {
        flags: '--for <PURPOSE>',
        description: 'What the policy is for',
        required: true,
        values: TEMPLATE_NAMES,
      },
      {
        flags: '--agent <AGENT_ID>',
        description: 'Take absolute limits from the runs of the live release of this agent',
      },
      { flags: '--from <RELEASE_ID>', description: 'Take them from the runs of this release' },
      ENV,
      ...TARGET,
    ],
    example: 'svc policy template --for ci --agent support-bot --env ci > policy.yaml',
    load: async () => (await import('./cli_advise.ts')).template,
  },
  {
    of: 'init',
    when: ['guided', 'for', 'agent', 'env', 'model'],
    options: [
      {
        flags: '--guided',
        description:
          'Ask four questions, and write a policy and a release.yaml too; the flags below answer them',
      },
      { flags: '--for <PURPOSE>', description: 'What the policy is for', values: TEMPLATE_NAMES },
      { flags: '--agent <AGENT_ID>', description: 'The agent, and the folder of its release.yaml' },
      { flags: '--env <ENV>', description: 'The environment in which it goes live' },
      { flags: '--model <MODEL>', description: 'Its model, by its name in the bundled prices' },
    ],
    load: async () => (await import('./cli_init.ts')).guidedInit,
  },
]
