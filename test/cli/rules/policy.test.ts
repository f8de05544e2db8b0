import { expect, test } from 'vitest'
import { makeWorkspace } from '../../support/processes/cli.ts'

const DEFAULT = {
  policy_id: 'default',
  max_cost_per_run_usd: null,
  max_latency_ms: null,
  max_error_rate: null,
  min_candidate_runs: null,
  min_baseline_runs: null,
  min_low_runs: null,
  require_high_diff_confidence: true,
}

test.concurrent('svc policy show prints the default, then the policy that was set last', async () => {
  const { svc, write, ok } = makeWorkspace({})
  const show = async (): Promise<unknown> => JSON.parse(await ok('policy', 'show'))
  expect(await show()).toEqual(DEFAULT)

  write('strict.yaml', 'policy_id: strict\nmax_error_rate: 0.05 # five percent\nmin_low_runs: 0\n')
  expect(await svc('policy', 'set', 'strict.yaml')).toEqual({
    code: 0,
    stdout: 'policy strict is in force\n  up to 5 % of runs may fail\n',
    stderr: '',
  })
  expect(await show()).toEqual({ ...DEFAULT, policy_id: 'strict', max_error_rate: 0.05, min_low_runs: 0 })

  write('other.json', { policy_id: 'other', max_latency_ms: 900, require_high_diff_confidence: false })
  await ok('policy', 'set', 'other.json')
  expect(await show()).toMatchObject({ policy_id: 'other', max_latency_ms: 900, max_error_rate: null })

  // Setting an earlier policy_id again overwrites it in place and puts it in force.
  write('strict.yaml', { policy_id: 'strict', max_error_rate: 0.01 })
  await ok('policy', 'set', 'strict.yaml')
  expect(await show()).toEqual({ ...DEFAULT, policy_id: 'strict', max_error_rate: 0.01 })

  write('empty.yaml', {})
  await ok('policy', 'set', 'empty.yaml')
  expect(await show()).toEqual(DEFAULT)
})

const MISTAKES = [
  ['max_eror_rate: 0\n', 'max_eror_rate is not a known field (did you mean max_error_rate?)'],
  [
    'max_latncy_ms: 1\nmax_eror_rate: 0\n',
    'max_latncy_ms is not a known field (did you mean max_latency_ms?) (line 1); ' +
      'max_eror_rate is not a known field (did you mean max_error_rate?) (line 2).',
  ],
  [
    'zzz: 1\nmax_latncy_ms: 1\n',
    'zzz is not a known field (line 1); max_latncy_ms is not a known field (did you mean',
  ],
  ['max_error_rate: 1.5\n', 'max_error_rate must be at most 1'],
  ['max_cost_per_run_usd: -1\n', 'max_cost_per_run_usd must be'],
  ['max_latency_ms: 1.5\n', 'max_latency_ms must be an integer'],
  ['min_candidate_runs: "500"\n', 'min_candidate_runs must be'],
  ['require_high_diff_confidence: "no"\n', 'require_high_diff_confidence must be'],
  ['require_high_diff_confidence: null\n', 'require_high_diff_confidence must be'],
  ['policy_id: ""\n', 'policy_id must be'],
  ['max_error_rate: .nan\n', 'max_error_rate must be a finite number'],
  ['[]\n', 'must be an object'],
  ['', 'is empty: it has no document'],
  ['# nothing but a comment\n', 'is empty: it has no document'],
  [
    'overrides:\n  - environment: prod\n    max_latncy_ms: 1\n',
    'overrides[0].max_latncy_ms is not a known field (did you mean max_latency_ms?) (line 3)',
  ],
  [
    'overrides:\n  - environment: prod\n    max_latency_ms: 1\n  - agent_id: bot\n    max_latency_ms: 2\n',
    'overrides[1].max_latency_ms must be left to overrides[0] (environment prod) or this one (agent_id bot), of which ' +
      'neither is more specific, or be set by a further override of agent_id bot, environment prod, which both match ' +
      '(was set by both) (line 5).',
  ],
  [
    '{"overrides": [\n{"environment": "prod", "max_latency_ms": 1},\n{"environment": "prod", "max_error_rate": 1}]}',
    'overrides[1].environment must be merged with overrides[0], which has the same scope',
  ],
  ['a: 1\na: 2\n', 'line 2, column 1: Map keys must be unique'],
  ['a: 1\n---\nb: 2\n', 'there is more than one document in the file'],
  [`a: ${'['.repeat(20_000)}`, 'it is nested too deeply'],
  [`a: ${'['.repeat(64)}${']'.repeat(64)}`, 'it must not be nested more than 64 levels deep'],
] as const

test.concurrent('svc policy validate needs no ledger, and says what set would say', async () => {
  const { svc, write, has } = makeWorkspace()
  write('good.yaml', 'policy_id: strict\nmax_error_rate: 0.05\n')
  expect(await svc('policy', 'validate', 'good.yaml')).toEqual({
    code: 0,
    stdout: 'ok policy strict\n  up to 5 % of runs may fail\n',
    stderr: '',
  })
  const json = await svc('policy', 'validate', 'good.yaml', '--output', 'json')
  expect(JSON.parse(json.stdout)).toEqual({
    valid: true,
    policy: { ...DEFAULT, policy_id: 'strict', max_error_rate: 0.05 },
    limits: ['up to 5 % of runs may fail'],
  })
  const [content, message] = MISTAKES[0]
  write('bad.yaml', content)
  expect(await svc('policy', 'validate', 'bad.yaml')).toEqual({
    code: 1,
    stdout: '',
    stderr: `svc: bad.yaml: ${message} (line 1). \`svc docs files/policy\` has the format.\n`,
  })
  expect(has('.service')).toBe(false)
})

test.concurrent('svc policy validate, test and set warn of a limit that lets much through', async () => {
  const { svc, write } = makeWorkspace({})
  write('loose.yaml', { policy_id: 'loose', max_cost_increase_pct: 2, max_latency_increase_pct: 0.1 })
  const words = '  cost may rise by up to 200 %\n  latency may rise by up to 10 %\n'
  const warning =
    'svc: warning: max_cost_increase_pct 2: cost may rise by up to 200 %; if 2 % was meant, write 0.02\n'
  const expected = { code: 0, stderr: warning }
  expect(await svc('policy', 'validate', 'loose.yaml')).toEqual({
    ...expected,
    stdout: `ok policy loose\n${words}`,
  })
  expect(await svc('policy', 'set', 'loose.yaml')).toEqual({
    ...expected,
    stdout: `policy loose is in force\n${words}`,
  })
  const json = await svc('policy', 'validate', 'loose.yaml', '--output', 'json')
  expect(JSON.parse(json.stdout)).toMatchObject({
    limits: [expect.any(String), expect.any(String)],
    warnings: [expect.any(String)],
  })
  const tried = await svc('policy', 'test', 'loose.yaml')
  expect(tried).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) })
})

test.concurrent('svc policy set refuses a file with a mistake and leaves the policy in force', async () => {
  const { svc, write, ok } = makeWorkspace({})
  await Promise.all(
    MISTAKES.map(async ([content, message], index) => {
      const name = write(`policy-${index}.yaml`, content)
      const { code, stdout, stderr } = await svc('policy', 'set', name)
      expect({ name, code, stdout }).toEqual({ name, code: 1, stdout: '' })
      expect(stderr).toMatch(/^svc: policy-\d+\.yaml.*\n$/)
      expect(stderr).toContain(message)
    }),
  )
  expect(JSON.parse(await ok('policy', 'show'))).toEqual(DEFAULT)
})

test.concurrent('svc policy test, set and doctor warn of an override that holds nowhere', async () => {
  const { svc, write } = makeWorkspace({ environments: ['local', 'prod'] })
  write('policy.yaml', { policy_id: 'strict', overrides: [{ environment: 'prd', max_latency_ms: 100 }] })
  const warning = 'overrides[0] matches nothing yet: there is nothing in environment prd; did you mean prod?'
  const tested = await svc('policy', 'test', 'policy.yaml')
  expect([tested.code, tested.stderr.split('\n')[0]]).toEqual([0, `svc: warning: ${warning}`])
  expect(await svc('policy', 'set', 'policy.yaml')).toEqual({
    code: 0,
    stdout:
      'policy strict is in force\n  latency may be up to 100 ms on average (overrides[0]: environment prd)\n',
    stderr: `svc: warning: ${warning}\n`,
  })
  const { code, stderr } = await svc('doctor')
  expect([code, stderr]).toEqual([0, `WARN  places: policy: ${warning}\n`])
})

test.concurrent('svc policy show says what holds for an agent in an environment', async () => {
  const { svc, write, ok } = makeWorkspace({ environments: ['local', 'prod'] })
  write('policy.yaml', {
    max_latency_ms: 900,
    overrides: [{ agent_id: 'bot', environment: 'prod', max_latency_ms: 100 }],
  })
  await ok('policy', 'set', 'policy.yaml')
  const shown = async (...place: string[]): Promise<unknown> =>
    JSON.parse(await ok('policy', 'show', ...place))
  expect(await shown('--agent', 'bot', '--env', 'prod')).toMatchObject({
    rules: [{ override: 0, agent_id: 'bot', environment: 'prod', keys: ['max_latency_ms'] }],
    policy: { max_latency_ms: 100 },
  })
  expect(await shown('--agent', 'bot')).toMatchObject({
    environment: 'local',
    rules: [],
    policy: { max_latency_ms: 900 },
  })
  const { code, stderr } = await svc('policy', 'show', '--env', 'prd')
  expect([code, stderr]).toEqual([
    1,
    'svc: Unknown environment: prd. service.yaml declares local, prod. Did you mean prod?\n',
  ])
})
