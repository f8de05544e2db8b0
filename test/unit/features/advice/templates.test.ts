import { expect, test } from 'vitest'
import { TEMPLATE_NAMES } from '../../../../src/features/advice/templates.ts'
import { templatePasses } from '../../../../tools/calibration/templates.ts'

// Long form: `npm run calibrate -- templates`. Of 100 unchanged releases 90 pass or more; chance may take some of 60.
test.each(TEMPLATE_NAMES)('an unchanged release passes the limits of the template for %s', name => {
  expect(templatePasses(name, { mean: 0, rate: 0 }, { reps: 60, seed: 7 })).toBeGreaterThan(0.85)
})

test.each(TEMPLATE_NAMES)('a release that costs twice as much passes none of the template for %s', name => {
  expect(templatePasses(name, { mean: 1, rate: 0 }, { reps: 60, seed: 7 })).toBeLessThan(0.1)
})
