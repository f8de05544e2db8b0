import type { WebServer } from './web_server.ts'
import { artifactOf } from './web_story.ts'

/** Cases of the suite, of which the first two differ between epochs. */
const CASES = [
  'refund in Italian',
  'refund of a gift',
  'refund after thirty days',
  'order that was split',
  'order of a guest',
  'cancel before it is shipped',
  'change the address',
  'two questions at once',
  'angry customer',
  'asks for a human',
  'empty message',
  'prompt injection in an e-mail',
]

/** Which cases fail, by version. */
const FAILING: Readonly<Record<string, readonly number[]>> = {
  '1.0.0': [2, 4, 9],
  '1.1.0': [2, 4],
  '1.2.0': [2],
  '1.3.0': [],
  '1.4.0': [11],
  '1.5.0': [3, 8, 11],
}

/** Releases of an agent with evaluations, oldest first: their ids. The last one breaks two cases and has flaky ones. */
export async function seedEvaluations(
  server: WebServer,
  agent = 'returns-bot',
  suite = 'regression',
): Promise<string[]> {
  const ids: string[] = []
  for (const [version, failing] of Object.entries(FAILING)) {
    const { release_id } = await server.send('POST /v1/releases', {
      artifact: artifactOf(agent, version, `Version ${version}.`),
      checksum: 'ab'.repeat(32),
      environment: 'prod',
    })
    ids.push(release_id)
    const cases = CASES.flatMap((id, n) =>
      [1, 2, 3].map(epoch => {
        const passed = !failing.includes(n) && !(n < 2 && epoch === 3 && version === '1.5.0')
        return {
          id,
          epoch,
          passed,
          scores: { faithfulness: (passed ? 0.86 : 0.4) + 0.01 * ((n * 7 + epoch) % 9) },
          trace_id: `${version.replaceAll('.', '')}${n}${epoch}`.padStart(32, '0'),
          tags: n < 3 ? ['refund'] : [],
        }
      }),
    )
    const { import_id } = await server.send('POST /v1/scores/cases', { release_id, suite, cases })
    await server.send('POST /v1/scores', { release_id, suite, import_id, parts: 1, judge_model: 'judge-1' })
  }
  return ids
}
