import { expect, test } from 'vitest'
import { TEMPLATES, TEMPLATE_NAMES, blockedRise, margin } from '../../../../src/features/advice/templates.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'
import { templatePasses } from '../../../../tools/calibration/templates.ts'

// Long form: `npm run calibrate -- templates`. Of 100 unchanged releases 90 pass or more; chance may take some of 60.
test.each(TEMPLATE_NAMES)('an unchanged release passes the limits of the template for %s', name => {
  expect(templatePasses(name, { mean: 0, rate: 0 }, { reps: 60, seed: 7 })).toBeGreaterThan(0.85)
})

test.each(TEMPLATE_NAMES)('a release that costs twice as much passes none of the template for %s', name => {
  expect(templatePasses(name, { mean: 1, rate: 0 }, { reps: 60, seed: 7 })).toBeLessThan(0.1)
})

test.each(['ci', 'canary'] as const)('the template for %s limits errors without a release too', name => {
  const effort = { reps: 60, seed: 7 }
  expect(templatePasses(name, { mean: 0, rate: 0 }, effort, false)).toBeGreaterThan(0.9)
  expect(templatePasses(name, { mean: 0, rate: 0.48 }, effort, false)).toBe(0)
})

test.each([
  ['ci', 100, 100, 0.3],
  ['low-traffic', 40, 280, 1],
  ['low-traffic', 400, 2_800, 1],
] as const)(
  '%s says which rise of the cost it blocks in 90 of 100 cases: %i runs, %i known',
  (name, runs, known, variation) => {
    const [template, live] = [TEMPLATES[name], { runs: known, mean: 1, variation }]
    const [rise, limit] = [blockedRise(template, runs, live), margin(template, runs, live)]
    const random = randomOf(7, name)
    const sigma = Math.sqrt(Math.log(1 + variation ** 2))
    const meanOf = (n: number): number => {
      let sum = 0
      for (let run = 0; run < n; run++) sum += Math.exp(sigma * random.normal() - sigma ** 2 / 2)
      return sum / n
    }
    const blocked = Array.from({ length: 500 }, () => meanOf(runs) * (1 + rise) > meanOf(known) * (1 + limit))
    expect(blocked.filter(Boolean).length / 500).toBeGreaterThan(0.86)
    expect(blocked.filter(Boolean).length / 500).toBeLessThan(0.96)
  },
)
