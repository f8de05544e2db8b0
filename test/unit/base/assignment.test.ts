import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { scaled } from '../../support/scale.ts'
import { assignmentBytes, isCandidate, toAssignment } from '../../../src/base/assignment.ts'

const UNITS = scaled(30_000, 1_000_000)

function assigned(rollout: string, unit: string) {
  return toAssignment(createHash('sha256').update(assignmentBytes(rollout, unit)).digest())
}

test('shares are what was asked for, and the slots of two rollouts have nothing to do with each other', () => {
  const [seen, shares] = [Array.from({ length: 100 }, () => 0), [0.01, 0.05, 0.25, 0.5]]
  const counts = shares.map(() => 0)
  for (let unit = 0; unit < UNITS; unit++) {
    const [one, other] = [
      assigned('rol_000000000001', `u-${unit}`),
      assigned('rol_000000000002', `u-${unit}`),
    ]
    for (const [index, share] of shares.entries()) if (isCandidate(one, share)) counts[index]! += 1
    const slot = (assignment: typeof one): number => Math.floor((10 * assignment.number) / 2 ** 52)
    seen[10 * slot(one) + slot(other)]! += 1
  }
  for (const [index, share] of shares.entries()) {
    // Four standard errors, which are 0.2 points at 50 % of a million.
    const off = Math.abs(counts[index]! / UNITS - share)
    expect(off).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / UNITS))
  }
  const expected = UNITS / 100
  const square = seen.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  // The 99.9 % quantile of χ² with 99 degrees of freedom.
  expect(square).toBeLessThan(148.2)
})

test('who gets the candidate at a share does at each larger one', () => {
  for (let unit = 0; unit < 1000; unit++) {
    const { number } = assigned('rol_000000000001', `${unit}`)
    const share = number / 2 ** 52
    expect(isCandidate({ number }, share)).toBe(false)
    expect(isCandidate({ number }, Math.min(1, share + Number.EPSILON))).toBe(true)
  }
})
