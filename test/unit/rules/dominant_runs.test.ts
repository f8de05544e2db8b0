import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { dominantRuns } from '../../../src/rules/diff_statistics.ts'
import { compareMeans } from '../../../src/rules/statistics/compare.ts'
import { blocks, valuesSample } from './statistics/samples_of.ts'

const EXACT = { baseline: true, candidate: true }
const ALIKE = Array<number>(50).fill(100)

function said(baseline: readonly number[], candidate: readonly number[], exact = EXACT): string[] {
  const of = (values: readonly number[]) => valuesSample(values, blocks)
  const latency_ms = compareMeans(of(baseline), of(candidate))
  return dominantRuns({ latency_ms, cost_per_run_usd: compareMeans(of(ALIKE), of(candidate)) }, exact)
}

test('one run that outweighs all others is named, with what it took', () => {
  expect(said([...ALIKE, 1e9], ALIKE)).toEqual([
    expect.stringMatching(
      /^baseline: one run of 999,995,000 ms or more has over 99 % of the latency of all 51: while it is among the runs that are compared, /,
    ),
  ])
  const candidate = [...ALIKE, 1e9]
  expect(said(ALIKE, candidate).map(text => text.replace(/ of .*/, ''))).toEqual([
    'candidate: one run',
    'candidate: one run',
  ])
  expect(said(ALIKE, candidate, { baseline: true, candidate: false })).toHaveLength(1)
})

test('runs that are alike, and sides of too few runs, are not', () => {
  expect(said(ALIKE, ALIKE)).toEqual([])
  expect(said(ALIKE, [1, 2, 3, 1e9])).toEqual([])
  expect(said([], Array<number>(50).fill(0))).toEqual([])
})

test('what is said of one run holds of the largest', () => {
  const values = fc.array(
    fc.integer({ min: 0, max: 1e6 }).map(x => x ** 2),
    { minLength: 10, maxLength: 40 },
  )
  fc.assert(
    fc.property(values, found => {
      const [text] = said(found, ALIKE)
      const [largest, sum] = [Math.max(...found), found.reduce((total, value) => total + value, 0)]
      if (text === undefined) return
      expect(2 * largest).toBeGreaterThan(sum)
      const [, least, share] = /run of ([\d,]+)(?:\.\d)? ms or more has over (\d+) %/.exec(text)!
      expect(Number(least!.replaceAll(',', ''))).toBeLessThanOrEqual(largest * (1 + 1e-9))
      expect(100 * largest).toBeGreaterThanOrEqual(Number(share) * sum)
    }),
  )
})
