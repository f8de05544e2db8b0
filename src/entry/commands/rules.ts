import { JSON_OUTPUT, OUTPUT, TARGET, ANSWER } from '../../cli/arguments/options.ts'
import { commands, many, maybeEmpty, required, whole } from '../../cli/arguments/records.ts'
/** `svc pricing …` and `svc policy …` */
export const COMMANDS = commands({
  'pricing import <PATH>': {
    summary: 'Import a price table (YAML)',
    task: 'Set the rules',
    options: {
      '--replace': 'Replace a table of the same provider and version',
      '--reason <TEXT>': maybeEmpty('Why it is replaced; required with --replace'),
      '--from <LIST>':
        'PATH is a price list in JSON: litellm or genai-prices; needs --provider and --version',
      '--provider <P>': 'Provider, by its name in the list',
      '--version <V>': 'Version of the new table',
      '--model <NAME>': many('Only this model, by its exact name'),
      '--allow-free': 'Accept prices of 0',
      '--yes': "Don't ask for confirmation",
      ...ANSWER,
    },
    example: 'svc pricing import prices/openai.yaml --replace --reason "new list prices"',
    run: async invocation =>
      invocation.options.given('from')
        ? (await import('../../features/price_lists/cli_import.ts')).importFromList(invocation)
        : (await import('../../cli/rules/pricing.ts')).importTable(invocation),
  },
  'pricing show': {
    summary: 'Show a price table as JSON',
    options: {
      '--provider <P>': required('Provider of the table'),
      '--version <V>': required('Version of the table'),
      ...JSON_OUTPUT,
      ...TARGET,
    },
    example: 'svc pricing show --provider openai --version svc-bundled-2026-11-21',
    load: async () => (await import('../../cli/rules/pricing.ts')).show,
  },
  'pricing check [...RELEASE_ID]': {
    summary: 'List stale bundled price tables, or models of a release in the last 7 days that have no price',
    options: {
      '--max-age-days <N>': whole('Days after which a table is stale (default 90)'),
      '--fail': 'Exit 1 if one is stale',
      ...ANSWER,
    },
    example: 'svc pricing check --max-age-days 30 --fail',
    load: async () => (await import('../../cli/rules/pricing.ts')).check,
  },
  'policy set <PATH>': {
    summary: 'Set the policy (YAML or JSON)',
    task: 'Set the rules',
    options: { '--reason <TEXT>': 'Why; recorded in the audit log', ...ANSWER },
    example: 'svc policy set policy.yaml --reason "latency budget of Q3"',
    load: async () => (await import('../../cli/rules/policy.ts')).set,
  },
  'policy validate <PATH>': {
    summary: 'Check whether a policy (YAML or JSON) is valid',
    options: OUTPUT,
    example: 'svc policy validate policy.yaml',
    load: async () => (await import('../../cli/rules/policy.ts')).validate,
  },
  'policy show': {
    summary: 'Show the policy as JSON, also for one agent or environment',
    options: {
      '--agent <AGENT_ID>': 'The policy for this agent',
      '--env <ENV>': "The policy for this environment (with --agent: the workspace's default)",
      ...JSON_OUTPUT,
      ...TARGET,
    },
    example: 'svc policy show --agent support-bot --env prod',
    load: async () => (await import('../../cli/rules/policy.ts')).show,
  },
})
