import { describe, expect, test } from 'vitest'
import { checkDocument } from '../../../../src/models/all/check.ts'
import { pathText } from '../../../../src/models/checks.ts'
import {
  freezeSpan,
  freezesOf,
  conditionReasons,
  isFrozen,
  isTimed,
  liveText,
  promotedFrom,
} from '../../../../src/features/conditions/rules.ts'
import { CONDITION } from '../../../../src/features/conditions/condition.ts'
import { undeclaredText } from '../../../../src/rules/scope.ts'

import { DECIDED, FIRST, FREEZE, FROZEN } from '../../rules/decisions/evidence_of.ts'

const PROD = { release_id: 'rel_1', environment: 'prod' }
const HOUR = 3_600_000
const SATURDAY = '2026-01-31T12:00:00.000Z'

describe('promotes_from', () => {
  test.each([
    [{}, 0, []],
    [{}, null, ['prod promotes from staging: rel_1 was never live there (promotes_from)']],
    [{ live_for: '24h' }, 24 * HOUR, []],
    [
      { live_for: '24h' },
      24 * HOUR - 1,
      [
        'prod promotes what was live in staging for 24h: rel_1 was live there for 23.9 h at a time (promotes_from)',
      ],
    ],
  ] as const)('%j, live for %s ms', (more, longest_ms, reasons) => {
    const gates = { promotes_from: { environment: 'staging', ...more, longest_ms } }
    expect(conditionReasons(gates, PROD, SATURDAY)).toEqual(reasons)
  })

  test('counts no time by a clock that is not to be believed, and needs none to say that it was live', () => {
    const clock = { at: SATURDAY, doubt: 'it fell back' }
    const live = { environment: 'staging', longest_ms: 48 * HOUR }
    expect(conditionReasons({ promotes_from: { ...live, live_for: '24h' }, clock }, PROD, SATURDAY)).toEqual([
      'prod promotes what was live in staging for 24h: for how long rel_1 was is not known: it fell back ' +
        '(promotes_from)',
    ])
    expect(conditionReasons({ promotes_from: live, clock }, PROD, SATURDAY)).toEqual([])
    const never = { environment: 'staging', live_for: '24h', longest_ms: null }
    expect(conditionReasons({ promotes_from: never, clock }, PROD, SATURDAY)).toEqual([
      'prod promotes what was live in staging for 24h: rel_1 was never live there (promotes_from)',
    ])
  })

  test.each([
    [0, '0 min'],
    [59_999, '0 min'],
    [60_000, '1 min'],
    [2 * HOUR - 1, '119 min'],
    [2 * HOUR, '2.0 h'],
    [2.99 * HOUR, '2.9 h'],
  ])('%d ms read %s', (ms, text) => {
    expect(liveText(ms)).toBe(text)
  })

  test('is an environment, or one and for how long', () => {
    const workspace = { promotes_from: { prod: 'staging', staging: { environment: 'dev', live_for: '2h' } } }
    expect(promotedFrom(workspace, 'prod')).toEqual({ environment: 'staging' })
    expect(promotedFrom(workspace, 'staging')).toEqual({ environment: 'dev', live_for: '2h' })
    expect(promotedFrom(workspace, 'constructor')).toBeUndefined()
  })
})

describe('a freeze', () => {
  const weekend = {
    from: 'fri 16:00',
    to: 'mon 08:00',
    reason: 'nobody is there',
    time_zone: 'Europe/Berlin',
  }
  const holidays = { from: '2026-12-20', to: '2027-01-04T09:00:00+01:00', reason: 'holidays' }
  test.each([
    [weekend, '2026-01-30T14:59:59.999Z', false],
    [weekend, '2026-01-30T15:00:00.000Z', true],
    [weekend, '2026-01-31T12:00:00.000Z', true],
    [weekend, '2026-02-02T06:59:59.999Z', true],
    [weekend, '2026-02-02T07:00:00.000Z', false],
    [holidays, '2026-12-19T23:59:59.999Z', false],
    [holidays, '2026-12-20T00:00:00.000Z', true],
    [holidays, '2027-01-04T07:59:59.999Z', true],
    [holidays, '2027-01-04T08:00:00.000Z', false],
  ] as const)('%j at %s: %s', (freeze, at, expected) => {
    expect(isFrozen(freeze, Date.parse(at))).toBe(expected)
  })

  test.each([
    ['from', 'fri 16:00', '2027-01-01'],
    ['from', '2026-01-01', 'mon 08:00'],
    ['from', 'some day', '2027-01-01'],
    ['from', '2026-01-01', 'some day'],
  ])('of two kinds of time, or of none, never holds: %s %s to %s', (_, from, to) => {
    for (const at of ['2026-01-30T20:00:00Z', '2026-01-26T00:00:00Z', '1970-01-01T00:00:00Z'])
      expect(isFrozen({ from, to, reason: 'a slip' }, Date.parse(at))).toBe(false)
  })

  test.each([
    [weekend, 'fri 16:00 to mon 08:00 Europe/Berlin'],
    [{ from: 'fri 16:00', to: 'mon 08:00', reason: '' }, 'fri 16:00 to mon 08:00 UTC'],
    [holidays, '2026-12-20 to 2027-01-04T09:00:00+01:00'],
  ])('%j is told as %s', (freeze, text) => {
    expect(freezeSpan(freeze)).toBe(text)
  })

  test('gives its reason', () => {
    expect(conditionReasons({ freeze: [weekend, holidays] }, PROD, SATURDAY)).toEqual([
      'prod is frozen from fri 16:00 to mon 08:00 Europe/Berlin: nobody is there (freeze)',
    ])
    expect(conditionReasons({ freeze: [{ ...weekend, time_zone: 'UTC' }] }, PROD, SATURDAY)).toEqual([
      'prod is frozen from fri 16:00 to mon 08:00 UTC: nobody is there (freeze)',
    ])
  })

  test('is judged by the time of the database, where the evidence has it', () => {
    const tuesday = '2026-02-03T12:00:00.000Z'
    const gates = { freeze: [weekend] }
    expect(conditionReasons(gates, PROD, tuesday)).toEqual([])
    expect(conditionReasons({ ...gates, clock: { at: SATURDAY } }, PROD, tuesday)).toHaveLength(1)
    expect(conditionReasons({ ...gates, clock: { at: tuesday } }, PROD, SATURDAY)).toEqual([])
  })

  test('holds at any time by a clock that is not to be believed', () => {
    const clock = { at: '2026-02-03T12:00:00.000Z', doubt: 'it fell back' }
    expect(conditionReasons({ freeze: [weekend], clock }, PROD, SATURDAY)).toEqual([
      'prod is frozen from fri 16:00 to mon 08:00 Europe/Berlin: nobody is there; whether it is over is not known: ' +
        'it fell back (freeze)',
    ])
  })

  test('decides by time, as an order with a time does and one without does not', () => {
    expect(isTimed({ freeze: [weekend] })).toBe(true)
    expect(isTimed({ promotes_from: { environment: 'staging', live_for: '1h', longest_ms: 0 } })).toBe(true)
    expect(isTimed({ promotes_from: { environment: 'staging', longest_ms: 0 } })).toBe(false)
    expect(isTimed({})).toBe(false)
  })

  test('concerns the environments that it names', () => {
    const freeze = [{ ...holidays, environment: 'prod' }, { ...holidays, environment: 'prod-*' }, holidays]
    expect(freezesOf({ freeze }, 'prod')).toEqual([freeze[0], holidays])
    expect(freezesOf({ freeze }, 'prod-eu')).toEqual([freeze[1], holidays])
    expect(freezesOf({}, 'prod')).toEqual([])
  })
})

test.each([
  [undefined, 'anything', undefined],
  [['dev', 'prod'], 'prod', undefined],
  [['dev', 'prod'], 'prd', 'Unknown environment: prd. service.yaml declares dev, prod. Did you mean prod?'],
  [
    ['dev', 'prod'],
    'local',
    'Unknown environment: local, the default_environment. service.yaml declares dev, prod.',
  ],
] as const)('of %j, %s: %s', (environments, environment, text) => {
  const workspace = environments === undefined ? {} : { environments: [...environments] }
  expect(undeclaredText({ ...workspace, default_environment: 'local' }, environment)).toBe(text)
})

describe('service.yaml is refused for', () => {
  const times = { from: '2026-12-20', to: '2026-12-27', reason: 'holidays' }
  test.each([
    ['no environments', { environments: [] }, 'environments'],
    ['another default', { environments: ['dev'], default_environment: 'prod' }, 'default_environment'],
    [
      'an unknown target',
      { environments: ['dev', 'prod'], promotes_from: { prd: 'dev' } },
      'promotes_from.prd',
    ],
    [
      'an unknown source',
      { environments: ['dev', 'prod'], promotes_from: { prod: { environment: 'deev' } } },
      'promotes_from.prod.environment',
    ],
    ['itself', { promotes_from: { prod: 'prod' } }, 'promotes_from.prod'],
    ['a circle', { promotes_from: { a: 'b', b: { environment: 'c' }, c: 'a' } }, 'promotes_from.a'],
    [
      'an odd time',
      { promotes_from: { prod: { environment: 'dev', live_for: 'a day' } } },
      'promotes_from.prod.live_for',
    ],
    ['a typo', { freeze: [{ ...times, enviroment: 'prod' }] }, 'freeze[0].enviroment'],
    [
      'a freeze of nothing',
      { environments: ['prod'], freeze: [{ ...times, environment: 'dev*' }] },
      'freeze[0].environment',
    ],
    ['a freeze without a reason', { freeze: [{ ...times, reason: '' }] }, 'freeze[0].reason'],
    ['a freeze that ends before', { freeze: [{ ...times, to: '2026-12-20' }] }, 'freeze[0].to'],
    ['two kinds of time', { freeze: [{ ...times, to: 'mon 08:00' }] }, 'freeze[0].to'],
    [
      'a weekly one of nothing',
      { freeze: [{ ...times, from: 'mon 08:00', to: 'mon 08:00' }] },
      'freeze[0].to',
    ],
    ['a day that is none', { freeze: [{ ...times, from: '2026-02-30' }] }, 'freeze[0].from'],
    [
      'an unknown zone',
      { freeze: [{ ...times, from: 'mon 08:00', to: 'mon 09:00', time_zone: 'Mars' }] },
      'freeze[0].time_zone',
    ],
    ['dates in a zone', { freeze: [{ ...times, time_zone: 'Europe/Berlin' }] }, 'freeze[0].time_zone'],
  ] as const)('%s', async (_, document, path) => {
    const checked = await checkDocument('WorkspaceConfig', document)
    expect(checked.ok ? [] : checked.problems.map(problem => pathText(problem.path))).toEqual([path])
  })
})

const NO_RUNS = { low: null, high: null, baseline_runs: null, candidate_runs: null }

describe('conditions are explained one by one', () => {
  const order = { ...NO_RUNS, policy_key: 'promotes_from', metric: 'live in staging' }
  test.for([
    [
      { longest_ms: null },
      'never',
      'once',
      'prod promotes from staging: rel_2 was never live there (promotes_from)',
    ],
    [{ longest_ms: 60_000 }, '1 min', 'once', null],
    [{ longest_ms: 7_200_000, live_for: '2h' }, '2.0 h', '2h', null],
    [
      { longest_ms: 7_199_999, live_for: '2h' },
      '119 min',
      '2h',
      'prod promotes what was live in staging for 2h: rel_2 was live there for 119 min at a time (promotes_from)',
    ],
  ] as const)('where it was live before: %j', ([live, value, limit, why]) => {
    const gates = { promotes_from: { environment: 'staging', ...live } }
    const passed = why === null
    expect(CONDITION.explained({ ...FIRST, gates }, DECIDED)).toEqual([
      { ...order, value, limit, verdict: passed ? 'pass' : 'fail', passed, why },
    ])
  })

  test('freezes, in force or not', () => {
    const gates = { freeze: [FREEZE, { ...FREEZE, from: 'sun 00:00', to: 'mon 00:00' }] }
    const row = { ...NO_RUNS, policy_key: 'freeze', metric: 'time', value: FIRST.evaluated_at }
    expect(CONDITION.explained({ ...FIRST, gates }, DECIDED)).toEqual([
      { ...row, limit: 'sat 00:00 to sun 00:00 UTC', verdict: 'fail', passed: false, why: FROZEN },
      { ...row, limit: 'sun 00:00 to mon 00:00 UTC', verdict: 'pass', passed: true, why: null },
    ])
  })
})
