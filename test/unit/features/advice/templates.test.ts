import { expect, test } from 'vitest'
import { TEMPLATES, TEMPLATE_NAMES } from '../../../../src/features/advice/templates.ts'
import { templatePasses } from '../../../../tools/calibration/templates.ts'

// Long form: `npm run calibrate -- --only templates`. Of 100 cases 80 pass or more; chance may take some of 60.
test.each(TEMPLATE_NAMES)('an unchanged release passes the template for %s traffic', name => {
  const asked = { reps: name === 'high' ? 10 : 60, seed: 7 }
  expect(templatePasses(TEMPLATES[name], name, { mean: 0, rate: 0 }, asked)).toBeGreaterThan(0.65)
})

test('a release that is worse by twice the limits passes none', () => {
  const { max_cost_increase_pct: mean, max_error_rate_increase: rate } = TEMPLATES.low.limits
  const change = { mean: 2 * mean, rate: 2 * rate }
  expect(templatePasses(TEMPLATES.low, 'low', change, { reps: 50, seed: 7 })).toBe(0)
})
