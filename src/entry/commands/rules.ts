import type { CommandSpec } from '../../cli/arguments/command.ts'
import { ENV, JSON_OUTPUT, LIMIT, OUTPUT, PRICE_LIST_OPTIONS, TARGET } from '../../cli/arguments/options.ts'

/** `svc pricing …` and `svc policy …` */
export const RULES_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'pricing import',
    args: '<PATH>',
    summary: 'Import a price table (YAML), or make one of a price list (JSON)',
    options: [
      { flags: '--replace', description: 'Replace a table of the same provider and version' },
      {
        flags: '--reason <TEXT>',
        description: 'Why it is replaced; required with --replace',
        mayBeEmpty: true,
      },
      ...PRICE_LIST_OPTIONS,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc pricing import prices/openai.yaml --replace --reason "new list prices"',
    load: async () => invocation =>
      invocation.options.text('from') === undefined
        ? import('../../cli/rules/pricing.ts').then(({ importTable }) => importTable(invocation))
        : import('../../features/price_lists/cli.ts').then(({ importFromList }) =>
            importFromList(invocation),
          ),
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
    name: 'pricing history',
    summary: 'Every import of price tables, newest first: who, when, why, and what it changed',
    options: [
      { flags: '--provider <P>', description: 'Only tables of this provider' },
      { flags: '--version <V>', description: 'Only tables of this version' },
      { ...LIMIT, description: 'The newest N (default all)' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc pricing history --provider openai',
    load: async () => (await import('../../features/history/cli.ts')).prices,
  },
  {
    name: 'policy set',
    args: '<PATH>',
    summary: 'Put a policy (YAML or JSON) in force',
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
  {
    name: 'policy test',
    args: '<PATH>',
    summary: 'Say which past actions a policy (YAML or JSON) would have decided otherwise, and why',
    options: [
      { flags: '--last <N>', description: 'The newest N actions (default 500)', number: 'whole' },
      { flags: '--since <T>', description: 'Actions since then: 30d, a date or a timestamp' },
      { flags: '--agent <AGENT_ID>', description: 'Only actions of this agent' },
      { flags: '--env <ENV>', description: 'Only actions in this environment' },
      {
        flags: '--fail-on-change',
        description:
          "Exit 1 if one would come out otherwise, that can't be told, or the agent or environment has none",
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc policy test policy.yaml --since 30d --fail-on-change',
    load: async () => (await import('../../features/explain/cli_test_policy.ts')).testPolicy,
  },
  {
    name: 'policy history',
    summary: 'Every policy that was set, newest first: who, when, why, and what it changed',
    options: [{ ...LIMIT, description: 'The newest N (default all)' }, OUTPUT, ...TARGET],
    example: 'svc policy history --limit 5',
    load: async () => (await import('../../features/history/cli.ts')).policies,
  },
  {
    name: 'policy diff',
    args: '[ID@SEQ] [ID@SEQ]',
    summary:
      'What differs between two policies of the history; of the one in force and the one before unless named',
    options: [OUTPUT, ...TARGET],
    example: 'svc policy diff default@3 default@5',
    load: async () => (await import('../../features/history/cli.ts')).diff,
  },
  {
    name: 'policy advise',
    summary: 'Say which limits on a change the traffic of an agent could prove',
    options: [
      { flags: '--agent <AGENT_ID>', description: 'The agent', required: true },
      ENV,
      { flags: '--window <W>', description: 'How far back to look (default 14d)' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc policy advise --agent support-bot --env prod',
    load: async () => (await import('../../features/advice/cli.ts')).advise,
  },
]
