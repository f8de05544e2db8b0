import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { fakeProvider } from '../../test/support/providers/fake_provider.ts'
import { COUNTS } from '../../test/support/providers/vector.ts'
import { NotHere, inVenv, pythonPackages, run } from './packages.ts'
import { withService } from './service.ts'

const QUICKSTART = join(ROOT_PATH, 'examples/quickstart')
type Pricing = Parameters<ServiceClient['importPrices']>[0]['table']

const BUILD = ['setuptools==80.9.0', 'wheel==0.45.1']
const CHECKS = ['mypy==1.19.1', 'types-PyYAML==6.0.12.20250915']
const PROVIDERS = [
  'openai==3.57.0',
  'anthropic==2.14.0',
  'google-genai==3.6.1',
  'boto3==1.44.8',
  'PyYAML==6.0.3',
]

/** Gemini has no price for cache writes: they are plain input there. */
const PLAIN = { ...COUNTS, cache_write_input_tokens: 0 }
const NONE = { input_tokens: 0, cached_input_tokens: 0, cache_write_input_tokens: 0, output_tokens: 0 }

/** What each run of python_package.py has to be counted as: tokens, success, whether tokens are missing. */
const EXPECTED: Readonly<
  Record<string, readonly [counts: object, error: string | null, incomplete: boolean]>
> = {
  chat: [COUNTS, null, false],
  'chat, streamed': [COUNTS, null, false],
  responses: [COUNTS, null, false],
  anthropic: [COUNTS, null, false],
  'anthropic, streamed': [COUNTS, null, false],
  gemini: [PLAIN, null, false],
  bedrock: [COUNTS, null, false],
  refused: [NONE, 'BadRequestError', false],
  aborted: [NONE, 'CancelledError', true],
}

/** Builds the wheel, installs it into an empty environment, and runs it against a service. Returns how much failed. */
export async function installedWheel(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-wheel-'))
  try {
    return await proven(folder)
  } catch (error) {
    if (!(error instanceof NotHere)) throw error
    process.stdout.write(`python: the packages could not be installed: ${error.message}\n`)
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function proven(folder: string): Promise<number> {
  const source = join(folder, 'python')
  cpSync(join(ROOT_PATH, 'python'), source, { recursive: true })
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check']
  const build = ['wheel', '--no-build-isolation', '--no-deps', '--wheel-dir', folder, source]
  run(inVenv(pythonPackages('python-build', BUILD), 'python'), [...pip, ...build], { cwd: folder })
  const wheel = readdirSync(folder).find(name => name.endsWith('.whl'))!

  // Its own tests, with nothing else installed.
  run('python3', ['-m', 'venv', 'empty'], { cwd: folder })
  const python = inVenv(join(folder, 'empty'), 'python')
  run(python, [...pip, 'install', '--no-index', wheel], { cwd: folder })
  run(python, ['-W', 'error', '-m', 'unittest', 'discover', '-s', join(source, 'tests')], { cwd: folder })

  const checks = pythonPackages('python-mypy', CHECKS)
  run(inVenv(checks, 'mypy'), ['--strict', join(source, 'src/release_governance')], { cwd: folder })

  // The providers' SDKs stay as they are for the next proof; the wheel is in the same folder.
  const providers = pythonPackages('python-providers', PROVIDERS)
  run(python, [...pip, 'install', '--no-index', '--no-deps', '--target', 'installed', wheel], { cwd: folder })
  const wrong = await usedWrongly(inVenv(providers, 'python'), join(folder, 'installed'))
  for (const line of wrong) process.stdout.write(`python wheel: ${line}\n`)
  process.stdout.write(
    `python wheel: ${wheel}, ${Object.keys(EXPECTED).length} runs, ${wrong.length} wrong\n`,
  )
  return wrong.length
}

/** What differs from what is expected of runs and decisions. */
async function usedWrongly(python: string, installed: string): Promise<string[]> {
  const provider = await fakeProvider()
  try {
    return await withService({}, async url => {
      const client = new ServiceClient(url)
      const table = parse(readFileSync(join(QUICKSTART, 'prices.yaml'), 'utf8')) as Pricing
      const models = ['gpt-5.6', 'claude-opus-5', 'gemini-3-flash', 'nova']
      const entries = [...table.entries, ...models.map(model => ({ ...table.entries[0]!, model }))]
      await client.importPrices({ table: { ...table, entries } })
      const child = spawn(python, [join(ROOT_PATH, 'tools/proofs/python_package.py')], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          ...process.env,
          PYTHONPATH: installed,
          SERVICE_URL: url,
          MODEL_URL: provider.url,
          FOLDER: QUICKSTART,
        },
      })
      const said = await text(child.stdout)
      if (said === '') return ['the program failed']
      const { release_id, from, ...rest } = JSON.parse(said) as Record<string, string>
      const { events } = await client.listRuns({ release_id: release_id!, window: '1h', environment: 'prod' })
      const runs = Object.fromEntries(
        events.map(({ task_id, metrics, usage }) => {
          const { provider: _, model: __, served_model: ___, ...counts } = usage.model
          return [task_id, [{ ...NONE, ...counts }, metrics?.error_type ?? null, usage.incomplete === true]]
        }),
      )
      const expected = { again: release_id, sent: 9, problems: [], verdict: 'inconclusive', promoted: 409 }
      return [
        ...Object.entries(EXPECTED).flatMap(([name, counted]) =>
          isDeepStrictEqual(runs[name], counted) ? [] : [`${name}: ${JSON.stringify(runs[name])}`],
        ),
        ...(isDeepStrictEqual(rest, expected) ? [] : [said]),
        ...(from!.startsWith(installed) ? [] : [`it was imported from ${from}`]),
      ]
    })
  } finally {
    await provider.close()
  }
}
