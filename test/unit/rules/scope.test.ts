import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matches } from '../../../src/base/text.ts'
import { checkDocument } from '../../../src/models/all/check.ts'
import { overridesFit } from '../../../src/models/overrides.ts'
import { Policy as shape } from '../../../src/models/shapes/policy.ts'
import { type KnownFields, knownOf } from '../../../src/models/unknown_fields.ts'
import type { Override, Policy } from '../../../src/models/documents/policy.ts'
import { pathText } from '../../../src/models/checks.ts'
import { DEFAULT_POLICY, resolveOverrides, ruleText } from '../../../src/rules/scope.ts'

function policyOf(...overrides: Override[]): Policy {
  return { ...DEFAULT_POLICY, max_latency_ms: 1, overrides }
}

/** The latency limit of a place, and which override set it. */
function latencyAt(policy: Policy, agent_id: string | undefined, environment: string) {
  const { policy: effective, rules } = resolveOverrides(policy, { agent_id, environment })
  return [effective.max_latency_ms, rules.find(({ keys }) => keys.includes('max_latency_ms'))?.override]
}

describe('the most specific override counts', () => {
  const policy = policyOf(
    { environment: 'prod', max_latency_ms: 2 },
    { environment: 'prod*', max_latency_ms: 3, max_error_rate: 0.5 },
    { agent_id: 'bot', environment: 'prod', max_latency_ms: 4 },
    { agent_id: 'bot-*', environment: 'prod', max_latency_ms: null },
  )
  test.each([
    ['bot', 'prod', 4, 2],
    ['bot', 'dev', 1, undefined],
    ['cat', 'prod', 2, 0],
    ['cat', 'prod-eu', 3, 1],
    ['bot-7', 'prod', null, 3],
    [undefined, 'prod', 2, 0],
  ] as const)('for %s in %s: %s', (agent, environment, limit, override) => {
    expect(latencyAt(policy, agent, environment)).toEqual([limit, override])
  })

  test('key by key: what it leaves out is that of the next one', () => {
    const { policy: effective, rules } = resolveOverrides(policy, { agent_id: 'bot', environment: 'prod' })
    expect(effective).toEqual({ ...DEFAULT_POLICY, max_latency_ms: 4, max_error_rate: 0.5 })
    expect(rules).toEqual([
      { override: 1, environment: 'prod*', keys: ['max_error_rate'] },
      { override: 2, agent_id: 'bot', environment: 'prod', keys: ['max_latency_ms'] },
    ])
    expect(ruleText(rules, 'max_latency_ms')).toBe(' (overrides[2]: agent_id bot, environment prod)')
    expect(ruleText(rules, 'max_cost_per_run_usd')).toBe('')
  })
})

describe('what stands behind a reason', () => {
  const rules = [
    { override: 4, agent_id: 'bot', keys: ['max_latency_ms', 'min_low_runs'] },
    { override: 5, environment: 'prod', keys: ['max_error_rate'] },
  ]
  test.each([
    [['max_latency_ms'], ' (overrides[4]: agent_id bot)'],
    [['max_error_rate'], ' (overrides[5]: environment prod)'],
    [['min_candidate_runs', 'min_low_runs'], ' (overrides[4]: agent_id bot)'],
    [['min_candidate_runs'], ''],
    [[], ''],
  ])('is the override that set any of %j:%s', (keys, text) => {
    expect(ruleText(rules, ...keys)).toBe(text)
  })

  test('names agent or environment where the override does', () => {
    const policy = policyOf({ agent_id: 'b*', max_latency_ms: 2 }, { environment: 'prod', max_error_rate: 1 })
    expect(resolveOverrides(policy, { agent_id: 'bot', environment: 'prod' }).rules).toStrictEqual([
      { override: 0, agent_id: 'b*', keys: ['max_latency_ms'] },
      { override: 1, environment: 'prod', keys: ['max_error_rate'] },
    ])
    const { overrides: _, ...plain } = policy
    expect(resolveOverrides(plain, { environment: 'prod' })).toStrictEqual({ policy: plain, rules: [] })
  })

  test('is the narrower one, where another is for all agents', () => {
    const policy = policyOf(
      { agent_id: 'bot', environment: 'p*', max_latency_ms: 2 },
      { environment: 'p*', max_latency_ms: 3 },
      { agent_id: 'b*', max_error_rate: 0.1 },
      { agent_id: 'b*', environment: 'prod', max_error_rate: 0.2 },
    )
    expect(resolveOverrides(policy, { agent_id: 'bot', environment: 'prod' }).policy).toMatchObject({
      max_latency_ms: 2,
      max_error_rate: 0.2,
    })
    const turned = { ...policy, overrides: policy.overrides!.toReversed() }
    expect(resolveOverrides(turned, { agent_id: 'bot', environment: 'prod' }).policy).toMatchObject({
      max_latency_ms: 2,
      max_error_rate: 0.2,
    })
  })
})

test('every key of a policy can be overridden, but for its name', () => {
  const { overrides, policy_id: _, ...keys } = knownOf(shape) as KnownFields
  const {
    agent_id: _agent,
    environment: _environment,
    ...overridable
  } = (overrides as [object])[0] as Record<string, true>
  expect(Object.keys(overridable).sort()).toEqual(Object.keys(keys).sort())
})

describe('refused is', () => {
  test.each([
    ['an override of everything', [{ max_latency_ms: 2 }], 'overrides[0]'],
    ['one of everything by a star', [{ agent_id: '*', max_latency_ms: 2 }], 'overrides[0]'],
    ['one without a key', [{ environment: 'prod' }], 'overrides[0]'],
    ['an unknown key', [{ environment: 'prod', max_latncy_ms: 2 }], 'overrides[0].max_latncy_ms'],
    ['a star inside', [{ environment: 'p*d', max_latency_ms: 2 }], 'overrides[0].environment'],
    [
      'the same scope twice',
      [
        { environment: 'prod', max_latency_ms: 2 },
        { agent_id: '*', environment: 'prod', max_error_rate: 0.1 },
      ],
      'overrides[1].environment',
    ],
    [
      'two that set a key and are equally specific where both hold',
      [
        { environment: 'prod', max_latency_ms: 2 },
        { agent_id: 'bot', max_error_rate: 0.1, max_latency_ms: 3 },
      ],
      'overrides[1].max_latency_ms',
    ],
  ] as const)('%s', async (_, overrides, path) => {
    const checked = await checkDocument('Policy', { overrides })
    expect(checked.ok ? [] : checked.problems.map(problem => pathText(problem.path))).toEqual([path])
  })

  test('but not where they set other keys, or a third says what holds in both', async () => {
    const apart = [
      { environment: 'prod', max_latency_ms: 2 },
      { agent_id: 'bot', max_error_rate: 0.1 },
    ]
    const settled = [
      { environment: 'prod', max_latency_ms: 2 },
      { agent_id: 'bot', max_latency_ms: 3 },
      { agent_id: 'bot', environment: 'prod', max_latency_ms: 4 },
    ]
    expect((await checkDocument('Policy', { overrides: apart })).ok).toBe(true)
    expect((await checkDocument('Policy', { overrides: settled })).ok).toBe(true)
  })
})

const NAME = fc.constantFrom('a', 'ab', 'b', 'ba')
const PATTERN = fc.constantFrom('a', 'ab', 'b', 'a*', 'ab*', 'b*', '*')
const OVERRIDE: fc.Arbitrary<Override> = fc.record(
  {
    agent_id: PATTERN,
    environment: PATTERN,
    max_latency_ms: fc.nat(9),
    max_error_rate: fc.constantFrom(0.1, 0.2),
  },
  { requiredKeys: [] },
)

/** Policies that the model takes, with overrides that overlap often. */
const SOUND = fc
  .array(OVERRIDE, { maxLength: 6 })
  .filter(overrides => overridesFit({ overrides }) === undefined)
  .map(overrides => policyOf(...overrides))

test('resolution is total and deterministic: whatever the order of the list, it says one thing of every place', () => {
  fc.assert(
    fc.property(SOUND, NAME, NAME, fc.infiniteStream(fc.nat()), (policy, agent_id, environment, random) => {
      const place = { agent_id, environment }
      const effective = resolveOverrides(policy, place)
      expect(Object.keys(effective.policy).sort()).toEqual(
        [...new Set([...Object.keys(DEFAULT_POLICY), ...effective.rules.flatMap(({ keys }) => keys)])].sort(),
      )
      const ranked = policy.overrides!.map(override => ({ override, rank: random.next().value }))
      const shuffled = ranked.sort((x, y) => x.rank - y.rank).map(({ override }) => override)
      expect(resolveOverrides({ ...policy, overrides: shuffled }, place).policy).toEqual(effective.policy)
      for (const { override, keys } of effective.rules) {
        const { agent_id: agents = '*', environment: environments = '*' } = policy.overrides![override]!
        expect(matches(agents, agent_id) && matches(environments, environment)).toBe(true)
        for (const key of keys) {
          expect(effective.policy[key as 'max_latency_ms']).toBe(
            policy.overrides![override]![key as 'max_latency_ms'],
          )
        }
      }
    }),
    { numRuns: 1000 },
  )
})

test('no override that sets a key and holds is more specific than the one that counts', () => {
  fc.assert(
    fc.property(SOUND, NAME, NAME, (policy, agent_id, environment) => {
      const [, chosen] = latencyAt(policy, agent_id, environment)
      const width = ({ agent_id: agents = '*', environment: environments = '*' }: Override): number =>
        ['a', 'ab', 'b', 'ba', 'c', 'abc'].filter(name => matches(agents, name)).length *
        ['a', 'ab', 'b', 'ba', 'c', 'abc'].filter(name => matches(environments, name)).length
      for (const override of policy.overrides!) {
        const { agent_id: agents = '*', environment: environments = '*' } = override
        if (override.max_latency_ms === undefined) continue
        if (!matches(agents, agent_id) || !matches(environments, environment)) continue
        expect(chosen).toBeDefined()
        expect(width(policy.overrides![chosen as number]!)).toBeLessThanOrEqual(width(override))
      }
    }),
    { numRuns: 1000 },
  )
})
