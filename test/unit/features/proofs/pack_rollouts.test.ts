import { expect, test } from 'vitest'
import { PackChoice } from '../../../../src/features/proofs/rules_pack_choice.ts'
import type { PackEntry } from '../../../../src/features/proofs/rules_pack_entry.ts'
import { type DecisionEvidence, evidenceOf } from '../../../../src/features/proofs/rules_pack_evidence.ts'
import { packText } from '../../../../src/features/proofs/rules_pack.ts'
import { pass, rolloutScene, start } from '../../../support/rollouts/scene.ts'
import { ok } from '../../../support/services/requests.ts'
import { type TestService, testService } from '../../../support/services/service.ts'

interface Listed {
  readonly log_seq: number
  readonly record_json: string
  readonly fact_text: string | null
}

test('a pack says of each rollout who began it, each change, and how it ended', async () => {
  const scene = await rolloutScene(testService)
  const { service, baseline, candidate } = scene
  const harmful = await ok(start(scene, { steps: '10%:10m,50%:2h' }))
  await pass(scene, 60, { latency: 180 }, 10)
  const stopped = await ok(start(scene, { steps: '10%:10m,50%:2h' }))
  const body = { reason: 'complaints', actor: 'ben' }
  await ok(service.call(`POST /v1/rollouts/${stopped.rollout_id}/abort`, { body }))
  const completed = await ok(start(scene, { steps: '50%:30m', hold: '20%', hold_for: '1d' }))
  await pass(scene, 60, {}, 60)
  const text = await packOf(service)
  const sentences = text
    .split('\n')
    .flatMap(line => /^ {3}- \[\d+\] \S+ (.*rol_.*)$/.exec(line)?.[1] ?? [])
    .filter(line => !line.startsWith('window '))
  const began = ({ rollout_id }: { readonly rollout_id: string }) =>
    `began ${rollout_id}: ${candidate} beside ${baseline} of bot in local`
  expect(sentences).toEqual([
    expect.stringContaining(began(harmful)),
    `the service (rollout) took ${harmful.rollout_id} to step 2, where 50 % of the sessions get ${candidate}`,
    expect.stringMatching(`aborted ${harmful.rollout_id}: all get ${baseline} again; reason: .*latency`),
    expect.stringContaining(began(stopped)),
    expect.stringMatching(
      `^ben .* aborted ${stopped.rollout_id}: all get ${baseline} again; reason: complaints$`,
    ),
    expect.stringContaining(began(completed)),
    expect.stringMatching(
      `in the name of ann, completed ${completed.rollout_id} by act_\\w+, promote ${candidate} .*: 20 % keep ${baseline} until 20.*, all others get it$`,
    ),
  ])
})

/** The words of a pack of the whole log, by the entries as the service wrote them. */
async function packOf(service: TestService): Promise<string> {
  const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 100, facts: 'true' } }))
  const choice = new PackChoice(0)
  const evidence = new Map<number, DecisionEvidence>()
  for (const { log_seq, record_json, fact_text } of (entries as Listed[]).toReversed()) {
    choice.add(JSON.parse(record_json) as PackEntry)
    const found = fact_text === null ? undefined : evidenceOf(fact_text)
    if (found !== undefined) evidence.set(log_seq, found)
  }
  const at = { origin: 'ledger', size: choice.span.length, since: 'then', until: 'now', isSigned: true }
  return packText({ ...at, span: choice.span, earlier: choice.earlier(), evidence, factless: [] })
}
