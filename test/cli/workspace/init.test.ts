import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { loadModel } from '../../../tools/models.ts'
import { jsonSchemaOf } from '../../../src/models/schemas.ts'
import { propertiesOf } from '../../unit/support/properties.ts'
import { releaseOf } from '../../support/services/builders.ts'
import { type Workspace, makeWorkspace, runSvc, withDatabase } from '../../support/processes/cli.ts'

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
    expect(stderr).toMatch(
      /^svc: service\.yaml exists already; it is not changed\. Register a release with `svc release register PATH`, /,
    )
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

  test.each([
    ['with bundled prices', []],
    ['without', ['--no-bundled-pricing']],
  ])('--release writes a release.yaml that can be registered as it is, %s', async (_, more) => {
    const workspace = makeWorkspace()
    const made = await workspace.svc('init', '--release', 'agents/my bot', ...more)
    expect(made.code).toBe(0)
    expect(made.stdout).toContain('wrote agents/my bot/release.yaml\n')
    expect(made.stderr).toBe(
      "svc: next, register a release with `svc release register 'agents/my bot'`; `svc init --guided` also writes a policy\n",
    )
    if (process.platform !== 'win32') {
      const modeOf = (name: string): number => statSync(workspace.path(name)).mode & 0o777
      const mask = process.umask()
      expect(modeOf('agents/my bot/release.yaml')).toBe(0o666 & ~mask)
      expect(modeOf('agents/my bot')).toBe(0o777 & ~mask)
      expect(modeOf('service.yaml')).toBe(0o600)
    }
    const validated = await workspace.svc('release', 'validate', 'agents/my bot')
    expect(validated).toMatchObject({ code: 0, stderr: '' })
    const { stderr } = await workspace.svc('release', 'register', 'agents/my bot')
    expect(stderr.includes('price table')).toBe(more.length > 0)
    expect(await workspace.ok('release', 'list')).toContain('\tmy bot\t0.1.0\t')
  })

  test('--release shows every field that there is, and each comment could be one', async () => {
    const workspace = makeWorkspace()
    await workspace.ok('init', '--release', 'bot')
    const text = workspace.read('bot/release.yaml')
    const uncommented = text.replaceAll(/^( *)# (?=( *)[a-z_]+:( |$))(?!.*: it says)/gm, '$1')
    const all = parse(uncommented) as Record<string, unknown>
    const fields = propertiesOf(jsonSchemaOf(await loadModel('Release'), 'Release')).map(({ path }) => path)
    expect(pathsOf(all).sort()).toEqual(fields.sort())
    workspace.write('whole/release.yaml', { ...all, tags: { a: 'b' } })
    expect(await workspace.ok('release', 'validate', 'whole/release.yaml')).toMatch(
      /^ok bot 0\.1\.0, 1 file, /,
    )
  })

  test.each([
    ['ci', 'support-bot', 'ci'],
    ['canary', 'my bot', 'the prod'],
    ['low-traffic', 'b', 'prod'],
  ])('--for %s prints commands that work as they are', async (purpose, agent, env) => {
    const workspace = makeWorkspace()
    const made = await workspace.svc('init', '--for', purpose, '--agent', agent, '--env', env)
    expect(made.code).toBe(0)
    expect(parse(workspace.read('service.yaml'))).toMatchObject({
      strict: true,
      environments: [env],
      default_environment: env,
    })
    const text = workspace.read(`${agent}/release.yaml`)
    const schema = /^# yaml-language-server: \$schema=(.*)\n/.exec(text)![1]!
    expect(JSON.parse(workspace.read(join(agent, schema)))).toMatchObject({ title: 'Release' })
    expect(made.stderr.includes('this policy has no limit yet')).toBe(purpose === 'low-traffic')
    const commands = made.stdout.split('\n').filter(line => line.startsWith('  svc '))
    expect(commands).toHaveLength(3)
    for (const command of commands) {
      const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c!)
      await workspace.ok(...words.slice(1))
    }
    expect(await workspace.ok('release', 'promoted', '--env', env)).toContain(agent)
    expect(await workspace.svc('release', 'gate', '0.1.0', '--env', 'prd', '--window', '1h')).toMatchObject({
      code: 1,
    })
  })

  test.each([
    [['--guided'], 'There is no terminal to ask at; add --agent, as in --agent my-agent.'],
    [['--for', 'ci', '--agent', 'a'], 'There is no terminal to ask at; add --env, as in --env ci.'],
    [['--guided', '--for', 'ci', '--agent', 'a/b'], '--agent a/b: its folder'],
    [
      ['--for', 'ci', '--agent', 'a', '--env', 'p', '--model', 'm'],
      'The bundled prices have no model m; choose',
    ],
    [['--guided', '--release', 'a'], "--release can't be used with --guided."],
    [['--guided', '--no-bundled-pricing'], 'the release needs a price'],
  ])('%j is refused, and nothing is written', async (args, message) => {
    const workspace = makeWorkspace()
    const { code, stdout, stderr } = await workspace.svc('init', ...args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
    expect(readdirSync(workspace.folder)).toEqual([])
  })

  test('--guided asks again until an answer can be taken, and writes nothing where one is missing', async () => {
    const typing = (lines: string) => ({
      stdin: Object.assign(Readable.from([lines]), { isTTY: true }) as never,
    })
    const workspace = makeWorkspace()
    const begun = await runSvc(['init', '--guided'], workspace.folder, typing('a/b\nbot\n'))
    expect(begun).toMatchObject({ code: 1, stdout: '' })
    expect(begun.stderr).toMatch(/slash.*\n.*Which agent\?.*\n?.*not answered; nothing is written/)
    expect(readdirSync(workspace.folder)).toEqual([])
    const answers = 'a/b\nbot\nblue\ncanary\n\nm\n\n'
    const { code, stderr } = await runSvc(['init', '--guided'], workspace.folder, typing(answers))
    expect(code).toBe(0)
    expect(stderr).toContain('svc: blue is not one of ci, canary, low-traffic.\nWhat is the policy for?')
    expect(stderr.match(/Which model\? \[gpt-4\.1-mini\]/g)).toHaveLength(2)
    expect(readdirSync(workspace.folder)).toContain('bot')
  })

  test('--guided leaves files that are there', async () => {
    for (const file of ['policy.yaml', 'service.yaml']) {
      const workspace = makeWorkspace()
      workspace.write(file, '# mine\n')
      const { code, stderr } = await workspace.svc('init', '--guided')
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`svc: ${file} exists already; it is not changed.`),
      ])
      expect(readdirSync(workspace.folder)).toEqual([file])
    }
  })

  test('--release takes a folder, not the file in it', async () => {
    const workspace = makeWorkspace()
    const { code, stderr } = await workspace.svc('init', '--release', 'bot/release.yaml')
    expect([code, stderr]).toEqual([1, 'svc: --release bot/release.yaml: give a folder for release.yaml.\n'])
    expect(existsSync(workspace.path('bot'))).toBe(false)
  })

  test('--release leaves a release.yaml that is there', async () => {
    const workspace = makeWorkspace()
    workspace.write('bot/release.yaml', '# mine\n')
    const { code, stderr } = await workspace.svc('init', '--release', 'bot')
    expect(code).toBe(0)
    expect(stderr).toContain('svc: bot/release.yaml exists already; it is not changed\n')
    expect(workspace.read('bot/release.yaml')).toBe('# mine\n')
  })

  test.skipIf(spawnSync('git', ['--version']).status !== 0)(
    'git keeps the catalog, not the ledger',
    async () => {
      const workspace = makeWorkspace()
      await workspace.ok('init')
      const git = (...args: string[]): string =>
        execFileSync('git', args, { cwd: workspace.folder, encoding: 'utf8' })
      git('init', '--quiet')
      git('add', '.')
      expect(git('ls-files').split('\n')).toEqual([
        '.service/.gitignore',
        '.service/pricing-catalog.yaml',
        'service.yaml',
        '',
      ])
    },
  )

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
      Array.from({ length: 2 }, async () => (await workspace.process('init', '--no-bundled-pricing')).code),
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

/** Paths as the docs of a model have them, without what is in a map of free names. */
function pathsOf(value: Record<string, unknown>, above = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const isMap = typeof inner === 'object' && inner !== null && !Array.isArray(inner) && key !== 'tags'
    return [above + key, ...(isMap ? pathsOf(inner as Record<string, unknown>, `${above}${key}.`) : [])]
  })
}
