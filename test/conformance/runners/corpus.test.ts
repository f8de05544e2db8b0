import { afterAll, beforeAll, expect, test } from 'vitest'
import { differences } from '../../../tools/proofs/corpus/compare.ts'
import { readCorpus } from '../../../tools/proofs/corpus/fixture.ts'
import { RECORDS, recordTo } from '../../support/corpus.ts'
import { testService } from '../../support/services/service.ts'
import { refusedDecisionsContract } from '../suite/decisions/decisions_refused.ts'
import { evidenceContract } from '../suite/decisions/evidence.ts'

const SAMPLE = '["sample",'
const answers = new Set<string>()
let stop = (): void => {}
beforeAll(() => {
  if (!RECORDS) stop = recordTo(line => answers.add(SAMPLE + line.slice(1)))
})
afterAll(() => stop())

evidenceContract(testService)
refusedDecisionsContract(testService)

test.skipIf(RECORDS)(
  'the answers are as recorded; `npm run prove -- corpus --record sample` records them',
  () => {
    const recorded = [...readCorpus()].filter(entry => entry.startsWith(SAMPLE))
    expect(recorded.length).toBeGreaterThan(100)
    expect(differences(new Set(recorded), answers)).toEqual([])
  },
)
