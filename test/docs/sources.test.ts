import { mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { type RunningService, makeWorkspace, startService } from '../support/processes/cli.ts'
import { type Examples, installExamples } from '../support/processes/examples.ts'
import { type FakeProvider, fakeProvider } from '../support/providers/fake_provider.ts'
import { ANSWER, COUNTS } from '../support/providers/vector.ts'
import { releaseOf } from '../support/services/builders.ts'

const GPT = { provider: 'openai', model: 'gpt-5.6', ...COUNTS }
const { cache_write_input_tokens: _none, ...GEMINI } = COUNTS

/** What a run of each program of examples/sources uses. */
const USED: Readonly<Record<string, { readonly model: string; readonly provider: string }>> = {
  'ai_sdk.mjs': GPT,
  'anthropic.mjs': { ...GPT, provider: 'anthropic', model: 'claude-opus-5' },
  'langchain.mjs': GPT,
  'openai.mjs': GPT,
  'openai_agents.mjs': GPT,
  'span_processor.mjs': GPT,
  'traces.mjs': GPT,
  'usage.mjs': { provider: 'google', model: 'gemini-3-flash', ...GEMINI },
}

/** What an agent installs of its own. */
const PACKAGES = ['openai', 'ai', '@ai-sdk', '@anthropic-ai', '@langchain', '@openai', '@opentelemetry']

test('docs/runs.md shows a program whole, and it or docs/traces.md links to each', () => {
  const [runs, traces] = ['runs', 'traces'].map(name =>
    readFileSync(join(ROOT_PATH, `docs/${name}.md`), 'utf8'),
  )
  const programs = readdirSync(join(ROOT_PATH, 'examples/sources')).filter(file => file.endsWith('.mjs'))
  expect(programs.toSorted()).toEqual(Object.keys(USED))
  for (const file of programs) expect(runs + traces!).toContain(`](../examples/sources/${file})`)
  const program = readFileSync(join(ROOT_PATH, 'examples/sources/openai.mjs'), 'utf8')
  expect(runs).toContain(`\`\`\`js openai\n${program}\`\`\`\n`)
})

describe('the programs of examples/sources', () => {
  let project: Examples
  let service: RunningService
  let provider: FakeProvider

  beforeAll(async () => {
    project = await installExamples()
    for (const name of PACKAGES) {
      const link = join(project.folder, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(ROOT_PATH, 'node_modules', name), link)
    }
    service = await startService(makeWorkspace({}))
    const models = new Set(Object.values(USED).map(({ model }) => model))
    const entries = Array.from(models, model => ({
      model,
      input_usd_per_1k_tokens: 1,
      output_usd_per_1k_tokens: 2,
    }))
    await new ServiceClient(service.url).importPrices({
      table: { provider: 'acme', pricing_version: 'v1', entries },
    })
    provider = await fakeProvider()
  })
  afterAll(async () => {
    await provider.close()
    await service.stop()
  })

  test.each(Object.entries(USED))('%s sends one run, with what it used', async (file, used) => {
    const client = new ServiceClient(service.url)
    const artifact = releaseOf({ agent: 'support-bot', version: file })
    const { release_id } = await client.registerRelease({ artifact, checksum: 'a'.repeat(64) })
    const ended = await project.end(process.execPath, [`sources/${file}`], {
      SERVICE_URL: service.url,
      RELEASE_ID: release_id,
      OPENAI_BASE_URL: `${provider.url}/v1`,
      OPENAI_API_KEY: 'k',
      ANTHROPIC_BASE_URL: provider.url,
      ANTHROPIC_API_KEY: 'k',
      GEMINI_URL: provider.url,
      GEMINI_API_KEY: 'k',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${service.url}/v1/traces`,
      OTEL_RESOURCE_ATTRIBUTES: `release_governance.release_id=${release_id},deployment.environment.name=prod`,
    })
    expect(ended).toEqual({ code: 0, stdout: `${ANSWER}\n`, stderr: '' })
    const runs: unknown[] = []
    for await (const { usage } of client.exportRuns({ release_id, window: '1h', environment: 'prod' }))
      runs.push(usage.model)
    expect(runs).toEqual([used])
  })
})
