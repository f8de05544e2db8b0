import { expect, test } from 'vitest'
import { TEMPLATE_NAMES } from '../../../../src/features/advice/templates.ts'
import { makeWorkspace } from '../../../support/processes/cli.ts'

test.each(TEMPLATE_NAMES)('svc policy template --traffic %s prints a policy that can be set', async name => {
  const { ok, svc, write } = makeWorkspace()
  write('policy.yaml', await ok('policy', 'template', '--traffic', name))
  const { code, stdout, stderr } = await svc('policy', 'validate', 'policy.yaml')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`ok policy ${name}-traffic\n  cost may rise by up to `)
})

test('svc policy template names the kinds of traffic that it knows', async () => {
  const { code, stderr } = await makeWorkspace().svc('policy', 'template', '--traffic', 'huge')
  expect(code).toBe(1)
  expect(stderr).toContain("--traffic must be low, mid, high or skewed (it is 'huge').")
})
