import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { makeWorkspace, startService } from '../support/processes/cli.ts'
import { installPackage } from '../support/processes/package.ts'
import { fakeProvider } from '../support/providers/fake_provider.ts'
import { COUNTS } from '../support/providers/vector.ts'
import { releaseOf } from '../support/services/builders.ts'

const PAGE = readFileSync(join(ROOT_PATH, 'docs/sources.md'), 'utf8')

test('the programs of docs/sources.md work, and record what was used', async () => {
  const project = installPackage()
  for (const name of ['openai', '@opentelemetry/sdk-trace']) {
    const link = join(project.folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT_PATH, 'node_modules', name), link)
  }
  const service = await startService(makeWorkspace({}))
  onTestFinished(async () => void (await service.stop()))
  const provider = await fakeProvider()
  onTestFinished(() => provider.close())
  const client = new ServiceClient(service.url)
  const artifact = releaseOf({ agent: 'support-bot', model: 'gpt-5.6' })
  const { release_id } = await client.registerRelease({ artifact, checksum: 'a'.repeat(64) })
  const programs = [...PAGE.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code!)
  const outputs: string[] = []
  for (const [index, code] of programs.entries()) {
    const file = join(project.folder, `source-${index}.mjs`)
    const own = code
      .replaceAll('http://127.0.0.1:8765', service.url)
      .replaceAll('rel_0123456789ab', release_id)
    writeFileSync(file, own)
    const env = { ...project.env, OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: 'k' }
    const child = spawn(process.execPath, [file], { cwd: project.folder, env })
    const [stdout, stderr, [exit]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    outputs.push(stdout)
  }
  expect(outputs).toEqual(['', 'It is on its way.\n'])
  const runs: unknown[] = []
  for await (const { usage } of client.exportRuns({ release_id, window: '1h', environment: 'prod' }))
    runs.push(usage.model)
  expect(runs).toEqual([{ provider: 'openai', model: 'gpt-5.6', ...COUNTS }])
})
