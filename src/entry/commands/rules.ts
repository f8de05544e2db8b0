import type { CommandSpec } from '../../cli/arguments/command.ts'
import { JSON_OUTPUT, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc pricing …` and `svc policy …` */
export const RULES_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'pricing import',
    args: '<PATH>',
    summary: 'Import a price table (YAML)',
    task: 'Set the rules',
    options: [
      { flags: '--replace', description: 'Replace a table of the same provider and version' },
      {
        flags: '--reason <TEXT>',
        description: 'Why it is replaced; required with --replace',
        mayBeEmpty: true,
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc pricing import prices/openai.yaml --replace --reason "new list prices"',
    load: async () => (await import('../../cli/rules/pricing.ts')).importTable,
  },
  {
    name: 'pricing show',
    summary: 'Show a price table as JSON',
    options: [
      { flags: '--provider <P>', description: 'Provider of the table', required: true },
      { flags: '--version <V>', description: 'Version of the table', required: true },
      JSON_OUTPUT,
      ...TARGET,
    ],
    example: 'svc pricing show --provider openai --version svc-bundled-2026-11-21',
    load: async () => (await import('../../cli/rules/pricing.ts')).show,
  },
  {
    name: 'pricing check',
    args: '[...RELEASE_ID]',
    summary:
      'Say which bundled price tables are stale, or which models of the last 7 days a release has no price for',
    options: [
      {
        flags: '--max-age-days <N>',
        description: 'Age from which a table is stale (default 90)',
        number: 'whole',
      },
      { flags: '--fail', description: 'Exit 1 if one is stale' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc pricing check --max-age-days 30 --fail',
    load: async () => (await import('../../cli/rules/pricing.ts')).check,
  },
  {
    name: 'policy set',
    args: '<PATH>',
    summary: 'Put a policy (YAML or JSON) in force',
    task: 'Set the rules',
    options: [{ flags: '--reason <TEXT>', description: 'Why; kept in its history' }, OUTPUT, ...TARGET],
    example: 'svc policy set policy.yaml --reason "latency budget of Q3"',
    load: async () => (await import('../../cli/rules/policy.ts')).set,
  },
  {
    name: 'policy validate',
    args: '<PATH>',
    summary: 'Say whether a policy (YAML or JSON) can be put in force',
    options: [OUTPUT],
    example: 'svc policy validate policy.yaml',
    load: async () => (await import('../../cli/rules/policy.ts')).validate,
  },
  {
    name: 'policy show',
    summary: 'Show the policy in force, or what of it holds for an agent in an environment, as JSON',
    options: [
      { flags: '--agent <AGENT_ID>', description: 'What holds for this agent' },
      { flags: '--env <ENV>', description: "What holds in this environment (with --agent the workspace's)" },
      JSON_OUTPUT,
      ...TARGET,
    ],
    example: 'svc policy show --agent support-bot --env prod',
    load: async () => (await import('../../cli/rules/policy.ts')).show,
  },
]
