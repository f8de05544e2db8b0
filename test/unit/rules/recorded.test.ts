import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { CONDITION } from '../../../src/features/conditions/condition.ts'
import { RULES_VERSION, type Evidence } from '../../../src/rules/evidence.ts'
import { isPassed, replayReasons } from '../../../src/rules/judge.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

interface Recorded {
  readonly release_id: string
  readonly environment: string
  readonly passed: boolean
  readonly reasons: readonly string[]
  readonly evidence: Evidence
}

/** Random decisions with their evidence, as programs of each version of the rules recorded them. */
function recorded(rulesVersion: number): Recorded[] {
  const file = join(ROOT_PATH, `test/fixtures/decisions/rules_${rulesVersion}.ndjson.br`)
  const lines = brotliDecompressSync(readFileSync(file)).toString().split('\n')
  return lines.map(line => JSON.parse(line) as Recorded)
}

test('decisions that earlier programs recorded are decided alike from their evidence', () => {
  const decisions = recorded(4)
  expect(decisions.length).toBeGreaterThanOrEqual(1000)
  for (const { release_id, environment, passed, reasons, evidence } of decisions) {
    expect(evidence.rules_version).toBeLessThanOrEqual(RULES_VERSION)
    const replayed = replayReasons(evidence, { release_id, environment }, [CONDITION])
    expect(replayed).toEqual(reasons)
    expect(isPassed(replayed!)).toBe(passed)
  }
})
