import { describe, expect, test } from 'vitest'
import { eventOf, releaseOf } from '../../support/services/builders.ts'
import { SMALL_SAMPLES, copyOf, startService, twoReleases, writeEvents } from '../../support/processes/cli.ts'

const made = await twoReleases()
const { baseline, candidate } = made
writeEvents(made.workspace, 'other.jsonl', 4, {
  release_id: baseline,
  agent_id: 'bot',
  environment: 'prod',
  tenant_id: 't2',
  task_id: 'k2',
})
await made.workspace.ok('runs', 'ingest', 'other.jsonl')

/** A copy of the ledger for one test, and the diff of its two releases. */
function copyOfDiff() {
  const workspace = copyOf(made.workspace)
  const diff = (...more: string[]) =>
    workspace.svc('release', 'diff', baseline, candidate, '--window', '1h', ...more)
  return { workspace, diff }
}

describe.concurrent('svc release diff', () => {
  test('prints a table for people, without escape codes', async () => {
    const { diff } = copyOfDiff()
    const { code, stdout, stderr } = await diff()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^diff over 1h in local, /)
    expect(stdout).toMatch(/^runs +10 +10$/m)
    expect(stdout).toMatch(/^cost per run +\$2\.00 +\$4\.00 +\+\$2\.00 \(\+100 %\)$/m)
    expect(stdout).toMatch(/^latency, mean +100 ms +50 ms +-50 ms$/m)
    expect(stdout).toMatch(/^error rate +0\.0 % +0\.0 % +0\.0 points$/m)
    expect(stdout).toMatch(/^confidence +enough runs \(confidence HIGH\)\npolicy +PASS\n$/m)
    expect(stdout).not.toContain('\u001B')
  })

  test('--output json is the body that POST /v1/diff answers', async () => {
    const { workspace, diff } = copyOfDiff()
    const { stdout } = await diff('--output', 'json')
    const service = await startService(workspace)
    const answer = await fetch(`${service.url}/v1/diff`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        baseline_release_id: baseline,
        candidate_release_id: candidate,
        window: '1h',
      }),
    })
    const body = (await answer.json()) as Record<string, unknown>
    await service.stop()
    expect(withoutTimes(JSON.parse(stdout))).toEqual(withoutTimes(body))
    expect(body).toMatchObject({
      filters: { environment: 'local', tenant_id: null, task_id: null },
      pricing: { pricing_or_model_changed: true, catalog: { enabled: false } },
      samples: { baseline_runs: 10, candidate_runs: 10, confidence: 'HIGH', confidence_reason: null },
      metrics: { baseline_cost_per_run_usd: 2, candidate_cost_per_run_usd: 4, delta_cost_per_run_pct: 1 },
      policy: { passed: true, reasons: [] },
    })
  })

  test('--env, --tenant and --task filter, and are echoed', async () => {
    const { diff } = copyOfDiff()
    const { stdout } = await diff('--env', 'prod', '--tenant', 't2', '--task', 'k2', '--output', 'json')
    expect(JSON.parse(stdout)).toMatchObject({
      filters: { environment: 'prod', tenant_id: 't2', task_id: 'k2' },
      samples: {
        baseline_runs: 4,
        candidate_runs: 0,
        confidence: 'LOW',
        confidence_reason: 'candidate sample < 10 runs; baseline sample < 10 runs; LOW floor is 5 runs',
      },
    })
    const text = await diff('--env', 'prod', '--tenant', 't2')
    expect(text.stdout).toContain('diff over 1h in prod, tenant t2, ')
  })

  test('a side without runs has no data, and the note says where it has some', async () => {
    const { diff } = copyOfDiff()
    const elsewhere = await diff('--env', 'prod', '--tenant', 't2')
    expect(elsewhere.stdout).toMatch(/^cost per run +\$2\.00 +no data$/m)
    expect(elsewhere.stdout).toMatch(/^latency, mean +no data +no data$/m)
    expect(elsewhere.stdout).toMatch(/^error rate +0\.0 % +no data$/m)
    expect(elsewhere.stderr).toBe(`svc: ${candidate} has no runs in prod, but in local; say so with --env\n`)
    const nowhere = await diff('--env', 'porod')
    for (const figure of ['cost per run', 'latency, mean', 'error rate']) {
      expect(nowhere.stdout).toMatch(new RegExp(`^${figure} +no data +no data$`, 'm'))
    }
    expect(nowhere.stderr).toBe(
      `svc: ${baseline} has no runs in porod, but in local, prod; say so with --env\n` +
        `svc: ${candidate} has no runs in porod, but in local; say so with --env\n`,
    )
    const filtered = await diff('--tenant', 'nobody')
    expect(filtered.stderr).toContain(`${candidate} has runs in local, but none that match`)
    const json = await diff('--env', 'porod', '--output', 'json')
    expect(JSON.parse(json.stdout)).toMatchObject({ samples: { baseline_runs: 0 } })
  })

  test('a window that is too short, and a release that never ran, are told', async () => {
    const { workspace, baseline: a, candidate: b } = await twoReleases(SMALL_SAMPLES, 0)
    const event = eventOf({ release_id: a, run_id: 'old', at: Date.now() - 7_200_000 })
    workspace.write('old.jsonl', JSON.stringify(event))
    await workspace.ok('runs', 'ingest', 'old.jsonl')
    const { stderr } = await workspace.svc('release', 'diff', a, b, '--window', '1h')
    expect(stderr).toBe(
      `svc: ${a} has runs in local, but none of the last 1h; take a longer --window\n` +
        `svc: ${b} has no runs yet, in any environment\n`,
    )
  })

  test('rates are shown, and a note says where they differ', async () => {
    const { workspace, diff } = copyOfDiff()
    const { stdout } = await diff()
    expect(stdout).toMatch(/^per 1k input +\$1\.00 +\$2\.00 +\+100 %$/m)
    expect(stdout).toMatch(/^per 1k output +\$2\.00 +\$4\.00 +\+100 %$/m)
    expect(stdout).toContain(
      'note        the two releases use different prices, which explains part of a change in cost',
    )
    const same = await workspace.svc('release', 'diff', baseline, baseline, '--window', '1h')
    expect(same.stderr).toBe(
      'svc: warning: baseline and candidate are the same release, so nothing can differ\n',
    )
    expect(same.stdout).toMatch(/^per 1k input +\$1\.00 +\$1\.00$/m)
    expect(same.stdout).not.toContain('different rates')
  })

  test('--fail-on-policy exits 1 after printing, and only where the policy fails', async () => {
    const { workspace, diff } = copyOfDiff()
    expect((await diff('--fail-on-policy')).code).toBe(0)
    workspace.write('policy.yaml', { max_cost_per_run_usd: 3, max_latency_ms: 10 })
    await workspace.ok('policy', 'set', 'policy.yaml')
    const failing = await workspace.svc(
      'release',
      'diff',
      '--fail-on-policy',
      baseline,
      candidate,
      '--window',
      '1h',
    )
    expect(failing.code).toBe(1)
    expect(failing.stdout).toMatch(
      /^policy +BLOCK\n {2}- candidate cost_per_run_usd 4\.000000 exceeds max 3\.000000\n {2}- candidate latency_ms_avg 50\.00 exceeds max 10\n$/m,
    )
    expect((await diff()).code).toBe(0)
    const json = await diff('--output', 'json', '--fail-on-policy')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({ policy: { passed: false } })
  })

  test.each([
    [['rel_x', candidate, '--window', '1h'], 'Unknown baseline release: rel_x'],
    [[baseline, 'rel_x', '--window', '1h'], 'Unknown candidate release: rel_x'],
    [[baseline, candidate, '--window', '7w'], 'Invalid window'],
    [[baseline, candidate, '--window', '0h'], 'Invalid window'],
    [[baseline, candidate, '--window', '-7d'], 'Invalid window'],
    [[baseline, candidate, '--window', ''], 'Invalid window'],
  ])('refuses %j', async (args, message) => {
    const { workspace } = copyOfDiff()
    const { code, stdout, stderr } = await workspace.svc('release', 'diff', ...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(`svc: ${message}`)
    expect(stderr).toMatch(/^svc: .*\n(?:svc: `svc release list` lists releases.*\n)?$/)
  })

  test('refuses other agents, tables that are missing and models without a price', async () => {
    const { workspace, diff } = copyOfDiff()
    const { write, ok, svc } = workspace
    write('agent.yaml', releaseOf({ agent: 'cat' }))
    write('prices9.yaml', releaseOf({ pricing: 'v9' }))
    const cat = await ok('release', 'register', 'agent.yaml')
    const unpriced = await ok('release', 'register', 'prices9.yaml')
    const other = await svc('release', 'diff', baseline, cat, '--window', '1h')
    expect(other.stderr).toMatch(/^svc: Cross-agent diff is not allowed.*\n$/)
    const missing = await svc('release', 'diff', baseline, unpriced, '--window', '1h')
    expect(missing.stderr).toMatch(/^svc: Missing pricing table for candidate.*acme\/v9.*\n$/)
    writeEvents(workspace, 'odd.jsonl', 1, { release_id: candidate, model: 'm3', tenant_id: 'odd' })
    await ok('runs', 'ingest', 'odd.jsonl')
    const odd = await diff()
    expect(odd.code).toBe(1)
    expect(odd.stderr).toMatch(/^svc: Pricing table missing model entry.*m3.*\n$/)
  })
})

test.concurrent.each([
  ['missing', undefined, []],
  ['a folder', { 'catalog.yaml/x': '' }, [expect.stringContaining("can't be read: it is a folder")]],
  ['malformed', { 'catalog.yaml': 'api_version: [' }, [expect.stringContaining('catalog.yaml')]],
])('a pricing catalog that is %s switches its part of the diff off, no more', async (_, files, warnings) => {
  const workspace = copyOf(made.workspace)
  workspace.write('service.yaml', { ...SMALL_SAMPLES, pricing_catalog_path: 'catalog.yaml' })
  for (const [name, content] of Object.entries(files ?? {})) workspace.write(name, content)
  const args = ['release', 'diff', baseline, candidate, '--window', '1h', '--output', 'json']
  const { code, stdout } = await workspace.svc(...args)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    pricing: { catalog: { enabled: false, warnings } },
    policy: { passed: true },
  })
})

test.concurrent('a catalog that knows neither price table brings no note, and one that knows one does', async () => {
  const workspace = copyOf(made.workspace)
  workspace.write('service.yaml', { ...SMALL_SAMPLES, pricing_catalog_path: 'catalog.yaml' })
  const mapping = { provider: 'acme', pricing_version: 'v1', model: 'm1', catalog_slot_id: 's' }
  const catalog = (mappings: object[]) => ({
    api_version: 'v1',
    kind: 'PricingCatalog',
    catalog_version: 'c1',
    mappings,
    tariffs: { s: { input_usd_per_1k_tokens: 1, output_usd_per_1k_tokens: 1 } },
  })
  const args = ['release', 'diff', baseline, candidate, '--window', '1h']
  workspace.write('catalog.yaml', catalog([]))
  expect(await workspace.ok(...args)).not.toContain('catalog')
  const json = JSON.parse(await workspace.ok(...args, '--output', 'json'))
  expect(json.pricing.catalog.warnings).toHaveLength(2)
  workspace.write('catalog.yaml', catalog([mapping]))
  expect(await workspace.ok(...args)).toMatch(
    /^warning {5}candidate: the catalog maps no slot to acme\/v1 m2$/m,
  )
})

test.concurrent('thresholds come from the workspace where the policy leaves them open', async () => {
  const workspace = copyOf(made.workspace)
  workspace.write('service.yaml', { ...SMALL_SAMPLES, diff: { min_low_runs: 5 } })
  const report = JSON.parse(
    await workspace.ok('release', 'diff', baseline, candidate, '--window', '1h', '--output', 'json'),
  ) as { samples: unknown; policy: unknown }
  const reason = 'candidate sample < 500 runs; baseline sample < 500 runs'
  expect(report.samples).toMatchObject({ confidence: 'MEDIUM', confidence_reason: reason })
  expect(report.policy).toMatchObject({
    passed: false,
    reasons: [`diff confidence is MEDIUM (${reason}); promotion requires HIGH`],
  })
})

/** Two processes ask at different times. */
function withoutTimes(report: Record<string, any>): unknown {
  const { since, until, ...rest } = report
  expect(Date.parse(until as string) - Date.parse(since as string)).toBe(3_600_000)
  return { ...rest, policy: { ...rest.policy, evaluated_at: '' } }
}
