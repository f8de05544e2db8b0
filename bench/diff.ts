import diffEndpoint from '../handlers/diff.ts'
import { bodyText } from '../src/http/message.ts'
import type { Services } from '../src/runtime/services.ts'
import { benchLedger, benchRelease, fillEvents } from './ledger.ts'
import { type Scenario, median, timesOf } from './harness.ts'

/** A diff over seven days must not notice how many events there are. */
export const diffScenario: Scenario = {
  name: 'diff',
  about: 'POST /v1/diff over 7 days, events per side growing',
  run: async ({ quick, size }, report) => {
    const { services, close } = await benchLedger()
    try {
      const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')] as const
      const sizes = quick ? [500, 2000] : [10_000, 100_000, 1_000_000, 10_000_000].filter(n => n <= size)
      let [filled, first] = [0, 0]
      for (const count of sizes) {
        const until = Date.now()
        await fillEvents(services, releases, filled, count, until)
        filled = count
        const p50 = median(await timesOf(quick ? 5 : 51, () => diff(services, releases)))
        if (first === 0) first = p50
        report({
          scenario: 'diff',
          what: `7d, ${count} per side, p50`,
          value: p50,
          unit: 'ms',
          target: { atMost: 5 },
        })
        if (count === sizes[0]) continue
        report({
          scenario: 'diff',
          what: `7d, ${count} per side, above ${sizes[0]}`,
          value: p50 - first,
          unit: 'ms',
          target: { atMost: 2 },
        })
      }
    } finally {
      await close()
    }
  },
}

async function diff(services: Services, [baseline, candidate]: readonly [string, string]): Promise<void> {
  const reply = await diffEndpoint.reply(
    {
      method: 'POST',
      url: 'http://localhost/v1/diff',
      headers: { get: name => (name === 'content-type' ? 'application/json' : null) },
      body: JSON.stringify({ baseline_release_id: baseline, candidate_release_id: candidate, window: '7d' }),
    },
    { ...services, peer: { kind: 'cli', actor: 'bench' } },
  )
  if (reply.status !== 200) throw new Error(await bodyText(reply))
}
