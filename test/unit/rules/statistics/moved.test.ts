import { describe, expect, test } from 'vitest'
import { movedIn } from '../../../../src/rules/statistics/moved.ts'
import { matchedMeans, matchedRates } from '../../../../src/rules/statistics/stratified.ts'
import { momentsOfSums } from '../../../../src/rules/statistics/samples.ts'
import { poisson } from '../../../../tools/calibration/world/runs.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'

const FIXED = { alpha: 0.05, sequential: false, tuned_for_runs: 1000 }

/** Blocks in which errors come at a rate that each side and block has. */
function rates(seed: number, blocks: number, runs: number, rateOf: (side: string, block: number) => number) {
  const random = randomOf(seed, 'moved')
  const of = (side: string, block: number) => ({
    runs,
    events: Math.min(runs, poisson(runs * rateOf(side, block), random)),
  })
  return Array.from({ length: blocks }, (_, block) => ({
    baseline: of('baseline', block),
    candidate: of('candidate', block),
  }))
}

describe('the part of the time that makes the spread', () => {
  test.each([8, 24, 48])('is no part of a steady %i blocks in 95 of 100 draws', blocks => {
    const found = Array.from({ length: 200 }, (_, seed) =>
      matchedRates(
        rates(seed, blocks, 60, () => 0.05),
        'time',
        FIXED,
      ),
    )
    expect(found.filter(one => one!.moved !== undefined).length).toBeLessThanOrEqual(10)
  })

  test.each([6, 8, 12, 24, 48])(
    'is none of %i blocks that differ by the hour, in 95 of 100 draws',
    blocks => {
      const random = randomOf(blocks, 'hours differ')
      const found = Array.from({ length: 400 }, () =>
        movedIn(
          Array.from({ length: blocks }, (_, block) => ({
            block,
            weight: 100 + 20 * random.uniform(),
            baseline: 10 + random.normal(),
            candidate: 10 + random.normal(),
          })),
          0.0001,
        ),
      )
      expect(found.filter(one => one !== undefined).length).toBeLessThanOrEqual(12)
    },
  )

  test('is none of blocks that hang together with those before them, in 95 of 100 draws', () => {
    const random = randomOf(4, 'carries over')
    const found = Array.from({ length: 400 }, () => {
      const levels = Array.from({ length: 52 }, () => random.normal())
      return movedIn(
        Array.from({ length: 48 }, (_, block) => ({
          block,
          weight: 100,
          baseline: 10,
          candidate: 10 + levels.slice(block, block + 4).reduce((sum, own) => sum + own / 2, 0),
        })),
        0.0001,
      )
    })
    expect(found.filter(one => one !== undefined).length).toBeLessThanOrEqual(20)
  })

  test('is not one of few runs, of which some failed', () => {
    const found = Array.from({ length: 200 }, (_, seed) =>
      matchedRates(
        rates(seed, 48, 4, () => 0.03),
        'time',
        FIXED,
      ),
    )
    expect(found.filter(one => one!.moved !== undefined).length).toBeLessThanOrEqual(4)
  })

  test('is all since a level moved', () => {
    const level = (side: string, block: number) => (side === 'candidate' && block >= 40 ? 0.3 : 0.008)
    const { moved } = matchedRates(rates(1, 48, 40, level), 'time', FIXED)!
    expect(moved).toMatchObject({ first: 40, end: 48 })
    expect(moved!.share).toBeGreaterThan(0.8)
    expect(moved!.candidate[0]).toBeCloseTo(0.008, 1)
    expect(moved!.candidate[1]).toBeCloseTo(0.3, 1)
  })

  test('is the block of an outage, of latencies too', () => {
    const outage = (side: string, block: number) => (side === 'baseline' && block === 17 ? 0.9 : 0.01)
    expect(matchedRates(rates(1, 48, 40, outage), 'time', FIXED)!.moved).toMatchObject({ first: 17, end: 18 })
    const slow = (block: number) =>
      momentsOfSums(
        40,
        BigInt(block === 17 ? 200_000 : 40_000 + (block % 3)),
        BigInt(block === 17 ? 1_000_000_000 : 41_000_000),
      )
    const steady = (block: number) => momentsOfSums(40, BigInt(40_000 + (block % 2)), 41_000_000n)
    const pairs = Array.from({ length: 48 }, (_, block) => ({
      baseline: steady(block),
      candidate: slow(block),
    }))
    expect(matchedMeans(pairs, 'time', FIXED)!.moved).toMatchObject({ first: 17, end: 18 })
    expect(matchedMeans(pairs, 'segments', FIXED)!.moved).toBeUndefined()
  })

  test('counts blocks by their numbers, whatever the weights', () => {
    const blocks = [3, 5, 6, 9].map(block => ({
      block,
      weight: block,
      baseline: 1,
      candidate: block === 6 ? 3 : 1,
    }))
    expect(movedIn(blocks, 0.001)).toMatchObject({ first: 6, end: 7, baseline: [1, 1], candidate: [1, 3] })
    expect(movedIn(blocks, 1)).toBeUndefined()
  })
})
