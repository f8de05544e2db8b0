import { describe, expect, test } from 'vitest'
import { TEMPLATE_NAMES } from '../../../../src/features/advice/templates.ts'
import { makeWorkspace, twoReleases } from '../../../support/processes/cli.ts'

describe.each(TEMPLATE_NAMES)('svc policy template --for %s', name => {
  test('prints a policy that can be set, from the runs of what is live', async () => {
    const { workspace, baseline } = await twoReleases()
    const { ok, svc, write } = workspace
    await ok('release', 'promote', baseline, '--env', 'local', '--window', '1h', '--reason', 'r')
    const live = await ok('policy', 'template', '--for', name, '--agent', 'bot', '--env', 'local')
    expect(await ok('policy', 'template', '--for', name, '--from', baseline, '--env', 'local')).toBe(live)
    write('policy.yaml', live)
    const { code, stdout, stderr } = await svc('policy', 'set', 'policy.yaml')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`policy ${name} is in force\n  cost may be up to 2`)
    expect(stdout).toContain('of runs may fail (overrides[0]: agent_id bot, environment local)')
    // Each key says in a comment what it means.
    expect(live).not.toMatch(/^ +max_[^#]*$/m)
  })

  test('says so where it has no runs to derive limits from', async () => {
    const { workspace, baseline } = await twoReleases()
    const args = ['policy', 'template', '--for', name, '--env', 'prod']
    const without = await workspace.svc(...args, '--from', baseline)
    expect(without).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('has no runs in prod') as string,
    })
    expect((await workspace.svc(...args, '--agent', 'bot')).stderr).toContain('bot has no live release in ')
    expect((await workspace.svc(...args)).stderr).toContain('Give --agent or --from')
  })
})

test.each(['ci', 'canary'])(
  'svc policy template --for %s needs no ledger for limits on a change',
  async name => {
    const { ok, svc, write } = makeWorkspace()
    write('policy.yaml', await ok('policy', 'template', '--for', name))
    const { code, stdout, stderr } = await svc('policy', 'validate', 'policy.yaml')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`ok policy ${name}\n  cost may rise by up to `)
  },
)

test('svc policy template names what it is for', async () => {
  const { code, stderr } = await makeWorkspace().svc('policy', 'template', '--for', 'huge')
  expect(code).toBe(1)
  expect(stderr).toContain("--for must be ci, canary or low-traffic (it is 'huge').")
})

test('a release of another agent is no source of limits', async () => {
  const { workspace, baseline } = await twoReleases()
  const args = ['policy', 'template', '--for', 'ci', '--env', 'local', '--from', baseline]
  const { code, stderr } = await workspace.svc(...args, '--agent', 'other')
  expect(code).toBe(1)
  expect(stderr).toContain(`The agent other has no release ${baseline}.`)
})
