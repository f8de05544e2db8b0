import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseDecimals } from '../../src/base/numbers.ts'
import { PRICE_LISTS } from '../../src/features/price_lists/rules_lists.ts'
import { entriesOf } from '../../src/features/price_lists/rules_source.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { NotHere, inVenv, pythonPackages, run } from './packages.ts'

const PACKAGES = ['genai-prices==0.2.3']

/** How many of names, counts and costs differ from those of genai-prices without an explanation: 0 or 1. */
export function comparedPrices(): number {
  let python: string
  try {
    python = inVenv(pythonPackages('genai-prices', PACKAGES), 'python')
  } catch (error) {
    if (!(error instanceof NotHere)) throw error
    process.stdout.write(`python: genai-prices could not be installed: ${error.message}\n`)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-prices-'))
  try {
    const [script, file] = [join(ROOT_PATH, 'tools/proofs/python_prices.py'), join(folder, 'tables.json')]
    const env = { PYTHONPATH: join(ROOT_PATH, 'python/src') }
    const list = parseDecimals(run(python, [script, 'list'], { cwd: folder, env })) as { id: string }[]
    writeFileSync(file, JSON.stringify(Object.fromEntries(list.map(({ id }) => [id, tableOf(list, id)]))))
    const { status } = spawnSync(python, [script, 'compare', file], {
      input: readFileSync(join(ROOT_PATH, 'python/tests/usage_cases.json')),
      env: { ...process.env, ...env },
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    return status === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** None of its models may have a price per token. */
function tableOf(list: unknown, provider: string): object {
  try {
    return entriesOf(PRICE_LISTS['genai-prices'](list, provider, '2026-11-29'), {
      models: [],
      allowFree: false,
    })
  } catch (error) {
    if (error instanceof RangeError) return {}
    throw error
  }
}
