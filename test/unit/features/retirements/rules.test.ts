import { describe, expect, test } from 'vitest'
import { endingOf, endsAt, namedModels } from '../../../../src/features/retirements/known.ts'
import { daysUntil, endText } from '../../../../src/features/retirements/rules.ts'
import { releaseOf } from '../../../support/services/builders.ts'

const at = (time: string): number => Date.parse(time)

test.for([
  ['2026-03-01', '2026-02-28T00:00:00.000Z', 1, 'ends in 1 day, on 2026-03-01'],
  ['2026-03-01', '2026-02-28T23:59:59.999Z', 1, 'ends in 1 day, on 2026-03-01'],
  ['2028-03-01', '2028-02-28T12:00:00.000Z', 2, 'ends in 2 days, on 2028-03-01'],
  ['2026-03-01', '2026-03-01T00:00:00.000Z', 0, 'ends today, 2026-03-01'],
  ['2026-03-01', '2026-03-02T00:00:00.000Z', -1, 'ended on 2026-03-01'],
  ['2026-03-01', '2025-03-01T12:00:00.000Z', 365, 'ends in 365 days, on 2026-03-01'],
] as const)('%s is %s days after %s', ([retires_on, now, days_left, text]) => {
  expect(daysUntil(retires_on, at(now))).toBe(days_left)
  expect(endText({ retires_on, days_left })).toBe(text)
})

const NOW = at('2026-01-01T12:00:00.000Z')
const listed = (model: string, retires_on: string, pricing_version = 'v1', provider = 'acme') => ({
  provider,
  model,
  retires_on,
  pricing_version,
})
const byHand = (model: string, retires_on: string | null) => ({
  provider: 'acme',
  model,
  retires_on,
  actor: 'ann',
  reason: 'their page',
})

describe('what holds of the end of a model', () => {
  test('is what was said by hand, else what was imported last', () => {
    const ends = endsAt(
      {
        listed: [listed('m1', '2026-05-01'), listed('m1', '2026-06-01', 'v2'), listed('m2', '2026-05-01')],
        hand: [byHand('m2', '2026-04-01')],
      },
      NOW,
    )
    expect([...ends.values()]).toEqual([
      {
        provider: 'acme',
        model: 'm1',
        retires_on: '2026-06-01',
        days_left: 151,
        said_by: 'price_list',
        source: 'price table acme/v2',
      },
      {
        provider: 'acme',
        model: 'm2',
        retires_on: '2026-04-01',
        days_left: 90,
        said_by: 'hand',
        source: 'ann: their page',
        price_list_says: '2026-05-01',
      },
    ])
  })

  test('is the price list again where it was taken back by hand, and nothing where there is none', () => {
    const ends = endsAt(
      { listed: [listed('m1', '2026-05-01')], hand: [byHand('m1', null), byHand('m2', null)] },
      NOW,
    )
    expect([...ends.values()]).toMatchObject([{ model: 'm1', said_by: 'price_list' }])
  })
})

test('models of a release are its own, its fallback and further ones, by the name of either provider', () => {
  const artifact = releaseOf({})
  const { spec } = artifact
  const release = {
    ...artifact,
    spec: {
      ...spec,
      runtime: { provider: 'azure', model: 'm1' },
      routing: { fallback: { model: 'm2' } },
      capabilities: { models: [{ model: 'm3', provider: 'other' }, 'no model', null, { model: 7 }] },
    },
  }
  const ends = endsAt(
    {
      listed: [
        listed('m1', '2026-03-01'),
        listed('m2', '2026-02-01'),
        listed('m3', '2026-04-01', 'v1', 'other'),
        listed('m3', '2026-01-02'),
      ],
      hand: [],
    },
    NOW,
  )
  expect(
    endingOf(namedModels(release), ends).map(({ model, role, days_left }) => [model, role, days_left]),
  ).toEqual([
    ['m2', 'fallback', 31],
    ['m1', 'runtime', 59],
    ['m3', 'further', 90],
  ])
  expect(
    endingOf(namedModels({ ...release, spec: { ...release.spec, capabilities: 7 } }), ends),
  ).toHaveLength(2)
})
