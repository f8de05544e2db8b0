import { expect, test } from 'vitest'
import { ServiceClient } from '../../../src/sdk/index.ts'
import { startService, twoReleases } from '../../support/processes/cli.ts'

const ARGS = ['--env', 'local', '--window', '1h'] as const

async function promoted() {
  const made = await twoReleases()
  await made.workspace.ok('release', 'promote', made.baseline, ...ARGS, '--reason', 'r')
  return made
}

/** Another model of the same provider is reported, and gives the release no new capability. */
const POWER =
  'capability  changed, none is new\n  ~ may now call model `m2`\n  - may no longer call model `m1`\n'

test('the gate says whether a release may pass, in text, JSON and Markdown', async () => {
  const { workspace, baseline, candidate } = await promoted()
  const gate = (...more: string[]) => workspace.svc('release', 'gate', candidate, ...ARGS, ...more)
  expect(await gate()).toMatchObject({
    code: 0,
    stdout: `PASS  ${candidate}  bot in local (against ${baseline}, 10 and 10 runs over 1h, enough runs (confidence HIGH))\n  Nothing is proven about 2 against 1 yet, because the releases share too little to compare.\n${POWER}`,
  })
  expect(JSON.parse((await gate('--output', 'json')).stdout)).toMatchObject({
    verdict: 'pass',
    baseline_release_id: baseline,
  })
  workspace.write('policy.yaml', { max_latency_ms: 40 })
  await workspace.ok('policy', 'set', 'policy.yaml')
  const blocked = await gate()
  expect(blocked.code).toBe(3)
  expect(blocked.stdout).toMatch(
    /^BLOCK {2}rel_.*\n {2}Nothing is proven about .*\n {2}- candidate latency_ms_avg 50\.00 exceeds max 40\ncapability {2}changed, none is new\n[^]*$/,
  )
  const report = await gate('--output', 'markdown', '--baseline', candidate)
  expect(report.code).toBe(3)
  expect(report.stdout.split('\n')[0]).toBe('### ⛔ `bot` `2` → `local`: Blocked by policy: 1 reason')
  expect(report.stdout).toContain(
    `<sub>\`svc release gate ${candidate} --env=local --window=1h --baseline=${candidate}\`</sub>`,
  )
  // The command that it names says the same.
  const again = /<sub>`svc (.*)`/.exec(report.stdout)![1]!.split(' ')
  expect((await workspace.svc(...again)).code).toBe(3)
})

test('a gate that can not be asked says so in the format that was requested', async () => {
  const { workspace } = await promoted()
  const gate = (...more: string[]) => workspace.svc('release', 'gate', 'rel_none', ...ARGS, ...more)
  const [text, json, markdown] = [
    await gate(),
    await gate('--output', 'json'),
    await gate('--output', 'markdown'),
  ]
  expect(text).toMatchObject({ code: 1, stdout: '' })
  expect(JSON.parse(json.stdout)).toEqual({
    verdict: 'error',
    detail: expect.stringContaining('rel_none') as string,
  })
  expect(markdown.stdout).toMatch(/^\*\*The gate could not be asked\*\*: `.*rel_none.*`\n$/)
  for (const { code, stderr } of [json, markdown])
    expect({ code, stderr }).toEqual({ code: 1, stderr: text.stderr })
})

test('gate, promote and promote-request say where runs are that they find none of', async () => {
  const { workspace, baseline, candidate } = await promoted()
  const elsewhere = (id: string): string =>
    `svc: ${id} has no runs in prod, but in local; say so with --env\n`
  const args = ['--env', 'prod', '--window', '1h'] as const
  const first = await workspace.svc('release', 'promote', baseline, ...args, '--reason', 'r')
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(elsewhere(baseline)) })
  const both = elsewhere(baseline) + elsewhere(candidate)
  expect((await workspace.svc('release', 'gate', candidate, ...args)).stderr).toBe(both)
  const blocked = await workspace.svc('release', 'promote', candidate, ...args, '--reason', 'r')
  expect(blocked).toMatchObject({ code: 1, stderr: both })
  expect((await workspace.svc('release', 'gate', candidate, ...ARGS)).stderr).toBe('')
  expect((await workspace.svc('release', 'promote', candidate, ...ARGS, '--reason', 'r')).stderr).toBe('')
  const unknown = await workspace.svc('release', 'gate', candidate, '--env', 'porod', '--window', '1h')
  expect(unknown.stderr).toBe(`svc: ${candidate} has no runs in porod, but in local; say so with --env\n`)
})

test('a diff as Markdown has the limits of the policy, and behind a URL the link to its page', async () => {
  const { workspace, baseline, candidate } = await promoted()
  workspace.write('policy.yaml', { max_latency_ms: 40, max_cost_increase_pct: 0.1, compare_by: 'window' })
  await workspace.ok('policy', 'set', 'policy.yaml')
  const diff = ['release', 'diff', baseline, candidate, '--window', '1h', '--output', 'markdown']
  const local = (await workspace.svc(...diff)).stdout
  expect(local).toContain('| latency, mean | 100 ms | 50 ms | -50.0 % |')
  expect(local).toContain('| 40 ms | 10, 10 |')
  expect(local).toContain('+10.0 %')
  expect(local).not.toContain('href')
  const { url } = await startService(workspace)
  const remote = await workspace.svc(...diff, '--url', url)
  const page = new URL(/href="([^"]*)"/.exec(remote.stdout)![1]!.replaceAll('&amp;', '&'))
  expect(page.origin).toBe(url)
  expect(Object.fromEntries(page.searchParams)).toEqual({
    view: 'place',
    agent: 'bot',
    env: 'local',
    baseline,
    candidate,
    window: '1h',
  })
  // The report of the service is that of the command.
  const gate = ['release', 'gate', candidate, ...ARGS, '--output', 'markdown', '--url', url]
  const served = await new ServiceClient(url).text('GET /v1/gate/{agent_id}/{environment}/report', {
    path: { agent_id: 'bot', environment: 'local' },
    query: { release_id: candidate, window: '1h', page_url: url },
  })
  expect((await workspace.svc(...gate)).stdout).toBe(served)
})
