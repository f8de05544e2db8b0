import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { seededRandom } from '../../src/base/numbers.ts'
import { settingsOf } from '../../src/rules/statistics/metric.ts'
import {
  type Agreed,
  type Pairs,
  cohensKappa,
  differenceSpread,
  kappaEstimate,
  mcnemar,
  pairedFindings,
} from '../../src/features/scores/rules_paired.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { NotHere, inVenv, pythonPackages } from './packages.ts'
import { pairsOf } from '../../test/support/statistics/pairs.ts'

const PACKAGES = ['scipy==1.17.1', 'statsmodels==0.15.0', 'numpy==2.4.6']

const TABLES = 200
const SEED = 20_261_125

/** What is compared with what other programs make of the same: the numbers that were given, and ours. */
interface Case {
  readonly kind: string
  readonly given: readonly unknown[]
  readonly ours: readonly number[]
}

/** How many of the statistics of pairs differ from those of scipy and statsmodels: 0 or 1. */
export function comparedStatistics(): number {
  let venv: string
  try {
    venv = pythonPackages('python-statistics', PACKAGES)
  } catch (error) {
    if (!(error instanceof NotHere)) throw error
    process.stdout.write(`python: scipy and statsmodels could not be installed: ${error.message}\n`)
    return 0
  }
  const random = seededRandom(SEED)
  const cases = Array.from({ length: TABLES }, () => casesOf(random)).flat()
  const script = join(ROOT_PATH, 'tools/proofs/python_statistics.py')
  const { status } = spawnSync(inVenv(venv, 'python'), [script], {
    input: JSON.stringify(cases),
    stdio: ['pipe', 'inherit', 'inherit'],
    maxBuffer: 2 ** 28,
  })
  return status === 0 ? 0 : 1
}

function casesOf(random: () => number): Case[] {
  const n = 10 + Math.floor(random() * 200)
  const values = (of: () => number): number[] => Array.from({ length: n }, of)
  const before = values(random)
  const after = before.map(value => value + (random() - 0.55) * 0.3)
  const [fell, rose] = [Math.floor(random() * 40), Math.floor(random() * 40)]
  const epochs = 1 + Math.floor(random() * 5)
  const share = (): number => Math.floor(random() * (epochs + 1)) / epochs
  const [passedBefore, passedAfter] = [values(share), values(share)]
  const clusters = values(() => Math.floor(random() * 12))
  const counts: Agreed = [1, 1, 1, 1].map(least => least + Math.floor(random() * 80)) as unknown as Agreed
  const graded = pairsOf(before, after)
  const binary = pairsOf(passedBefore, passedAfter, { isBinary: true, epochs })
  // Alone they would vary so little that clusters always count.
  const clustered = pairsOf(
    before.map(() => 0),
    before.map((value, index) => clusters[index]! / 10 + value / 1000),
    { clusters },
  )
  const spread = differenceSpread(clustered)
  const kappa = cohensKappa(counts)!
  const agreement = kappaEstimate(counts)!
  return [
    { kind: 'mcnemar', given: [fell, rose], ours: [mcnemar(fell, rose)] },
    { kind: 'paired t', given: [before, after], ours: endsOf(graded) },
    { kind: 'adjusted paired difference', given: [[...binary.differences], epochs], ours: endsOf(binary) },
    {
      kind: 'clusters',
      given: [[...clustered.differences], clusters],
      ours: [Math.sqrt(spread.variance), spread.df, ...endsOf(clustered)],
    },
    {
      kind: 'kappa',
      given: counts,
      ours: [kappa.kappa, kappa.standard_error, agreement.low!, agreement.high!],
    },
  ]
}

function endsOf(pairs: Pairs): [number, number] {
  const { difference } = pairedFindings(pairs, settingsOf({ better: 'higher' }, 0.1))
  return [difference!.low!, difference!.high!]
}
