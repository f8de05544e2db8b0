import { rmSync } from 'node:fs'
import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { releaseOf } from '../../support/services/builders.ts'
import { type Workspace, makeWorkspace, withDatabase } from '../../support/processes/cli.ts'

const DEFAULTS = {
  api_version: 'v1',
  kind: 'WorkspaceConfig',
  db_path: '.service/service.db',
  default_environment: 'local',
  diff: { min_candidate_runs: 500, min_baseline_runs: 500, min_low_runs: 50 },
  promotion_requires_approval: false,
}

describe.concurrent('svc init', () => {
  test('writes the defaults, migrates the ledger and imports the bundled prices and their catalog', async () => {
    const workspace = makeWorkspace()
    const { code } = await workspace.svc('init')
    expect(code).toBe(0)
    expect(parse(workspace.read('service.yaml'))).toEqual({
      ...DEFAULTS,
      pricing_catalog_path: '.service/pricing-catalog.yaml',
    })
    const tables = await withDatabase(workspace, client =>
      client.execute('SELECT provider, pricing_version FROM pricing_tables ORDER BY provider'),
    )
    expect(tables.rows.map(row => row.provider)).toEqual(['anthropic', 'google', 'openai'])
    for (const row of tables.rows) expect(row.pricing_version).toMatch(/^svc-bundled-\d{4}-\d\d-\d\d$/)
    expect((await workspace.svc('doctor')).code).toBe(0)
    expect(await catalogOfDiff(workspace, tables.rows[2]!.pricing_version as string)).toMatchObject({
      enabled: true,
    })
  })

  test('keeps a configuration that is there, byte for byte, and touches nothing else', async () => {
    const workspace = makeWorkspace()
    workspace.write('service.yaml', '# mine\n')
    const { code, stdout, stderr } = await workspace.svc('init')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('svc: service.yaml exists already; it is left as it is.\n')
    expect(workspace.read('service.yaml')).toBe('# mine\n')
    expect(workspace.has('.service')).toBe(false)
  })

  test('--no-bundled-pricing imports no prices and names no catalog', async () => {
    const workspace = makeWorkspace()
    expect((await workspace.svc('init', '--no-bundled-pricing')).code).toBe(0)
    expect(parse(workspace.read('service.yaml'))).toEqual(DEFAULTS)
    expect(workspace.has('.service/pricing-catalog.yaml')).toBe(false)
    expect(await workspace.svc('pricing', 'check', '--fail')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'svc: no bundled price tables are imported\n',
    })
  })

  test('--path writes elsewhere, with the ledger beside it', async () => {
    const workspace = makeWorkspace()
    const { code, stderr } = await workspace.svc('init', '--path', 'deep/er/agents.yaml')
    expect(code).toBe(0)
    expect(stderr).toContain('commands read service.yaml; rename deep/er/agents.yaml')
    expect(parse(workspace.read('deep/er/agents.yaml'))).toMatchObject(DEFAULTS)
    expect(workspace.has('deep/er/.service/service.db')).toBe(true)
    expect(workspace.has('service.yaml')).toBe(false)
    expect((await workspace.svc('init', '--path', 'deep/er/agents.yaml')).code).toBe(1)
  })

  test('goes on where a half-done attempt stopped, and imports nothing twice', async () => {
    const workspace = makeWorkspace()
    workspace.write('.service/pricing-catalog.yaml', '# edited\n')
    await workspace.ok('init')
    // The configuration is written last, so a crash before it leaves all but that.
    rmSync(workspace.path('service.yaml'))
    await workspace.ok('init')
    expect(workspace.read('.service/pricing-catalog.yaml')).toBe('# edited\n')
    const { rows } = await withDatabase(workspace, client =>
      client.execute('SELECT action, count(*) AS n FROM pricing_imports GROUP BY action'),
    )
    expect(rows.map(({ action, n }) => ({ action, n }))).toEqual([{ action: 'insert', n: 3 }])
  })

  test('two at once leave one whole workspace', async () => {
    const workspace = makeWorkspace()
    const codes = await Promise.all(
      Array.from({ length: 2 }, async () => (await workspace.svc('init', '--no-bundled-pricing')).code),
    )
    expect(codes).toContain(0)
    expect(parse(workspace.read('service.yaml'))).toEqual(DEFAULTS)
    expect((await workspace.svc('doctor')).code).toBe(0)
  })
})

test.concurrent('bundled prices are per thousand tokens', async () => {
  const workspace = makeWorkspace()
  await workspace.ok('init')
  const { rows } = await withDatabase(workspace, client =>
    client.execute("SELECT pricing_version FROM pricing_tables WHERE provider = 'openai'"),
  )
  const version = rows[0]!.pricing_version as string
  const table = JSON.parse(
    await workspace.ok('pricing', 'show', '--provider', 'openai', '--version', version),
  ) as { entries: Record<string, unknown>[] }
  // Listed at 0.15, 0.60 and 0.075 USD per million.
  expect(table.entries.find(({ model }) => model === 'gpt-4o-mini')).toEqual({
    model: 'gpt-4o-mini',
    input_usd_per_1k_tokens: 0.00015,
    output_usd_per_1k_tokens: 0.0006,
    cached_input_usd_per_1k_tokens: 0.000075,
  })
})

async function catalogOfDiff(workspace: Workspace, pricingVersion: string): Promise<unknown> {
  const release = releaseOf({ model: 'gpt-4o-mini', pricing: pricingVersion })
  release.spec.pricing_reference.provider = 'openai'
  workspace.write('release.yaml', release)
  const id = await workspace.ok('release', 'register', 'release.yaml')
  const report = JSON.parse(
    await workspace.ok('release', 'diff', id, id, '--window', '1h', '--output', 'json'),
  ) as { pricing: { catalog: unknown } }
  return report.pricing.catalog
}
