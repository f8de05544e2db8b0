import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { type Scenario, percentile } from '../harness.ts'
import { benchRelease, servedLedger } from '../ledger.ts'
import { type BenchServer, startBenchServer } from '../load.ts'

const BEHAVIOURS = ['hangs', 'answers 500', 'resets', 'sends 100 MB', 'redirects', 'takes it'] as const

/** Promotions in a row with the webhook, and then without it, so that other load meets both alike. */
const BLOCK = 100

/** What a receiver that misbehaves costs the decisions that it is told of. */
export const webhooksScenario: Scenario = {
  name: 'webhooks',
  about: 'POST /v1/promote with a webhook whose receiver misbehaves, against none on the same server, p50',
  run: async ({ quick }, report) => {
    for (const behaviour of BEHAVIOURS) {
      const [server, receiver] = await Promise.all([startLedger(), startBenchServer('receiver', behaviour)])
      try {
        const times: Record<'plain' | 'announcing', number[]> = { plain: [], announcing: [] }
        const [rounds, block] = quick ? [1, 5] : [20, BLOCK]
        await promotions(server, quick ? 1 : 300)
        for (let round = 0; round < rounds; round++) {
          times.plain.push(...(await promotions(server, block)))
          const webhook = await send(server.url, 'POST', '/v1/webhooks', {
            url: `${receiver.url}/hook`,
            events: ['promote.succeeded'],
          })
          times.announcing.push(...(await promotions(server, block)))
          await send(server.url, 'DELETE', `/v1/webhooks/${String(webhook.webhook_id)}`)
        }
        const [base, value] = [percentile(times.plain, 0.5), percentile(times.announcing, 0.5)]
        report({ scenario: 'webhooks', what: `promote, receiver ${behaviour}`, value, unit: 'ms' })
        report({
          scenario: 'webhooks',
          what: 'the same / without a webhook',
          value: value / base,
          unit: 'x',
          target: { atMost: 1.1 },
        })
      } finally {
        await Promise.all([server.stop(), receiver.stop()])
      }
    }
  },
}

interface LedgerServer extends Pick<BenchServer, 'url' | 'stop'> {
  /** A release to promote again and again; the policy passes it. */
  readonly release: string
}

async function startLedger(): Promise<LedgerServer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const { services, close } = await servedLedger(folder)
  const release = await benchRelease(services, '1')
  await close()
  const server = await startBenchServer('service', folder)
  await send(server.url, 'PUT', '/v1/policy', { require_high_diff_confidence: false })
  return {
    url: server.url,
    release,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Promotes one time after the other and returns how long each took, ms. */
async function promotions({ url, release }: LedgerServer, count: number): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now()
    await send(url, 'POST', '/v1/promote', {
      release_id: release,
      environment: 'local',
      window: '1h',
      reason: 'bench',
    })
    times.push(performance.now() - startedAt)
  }
  return times
}

async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}
