import { performance } from 'node:perf_hooks'
import { ingestEvents } from '../../src/ledger/events/ingest.ts'
import type { Services } from '../../src/runtime/services.ts'
import type { BenchClient } from '../client.ts'
import { type Figure, median } from '../harness.ts'
import { benchEvent, benchRelease } from '../ledger.ts'

const AGENTS = 8
/** Events of each of the two releases of an agent. */
const EVENTS = 1000

/** Promotions per second, a client for each agent, whose two releases it promotes in turn. */
export async function promoteRate(
  services: Services,
  client: BenchClient,
  quick: boolean,
  report: (figure: Omit<Figure, 'scenario'>) => void,
): Promise<void> {
  const agents: (readonly [string, string])[] = []
  for (let index = 0; index < AGENTS; index++) agents.push(await promotable(services, `agent-${index}`))
  const perAgent = quick ? 2 : 100
  const rates: number[] = []
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const startedAt = performance.now()
    await Promise.all(
      agents.map(async releases => {
        for (let index = 0; index < perAgent; index++) {
          const body = {
            release_id: releases[index % 2],
            environment: 'local',
            window: '7d',
            reason: 'bench',
          }
          await client.call('POST', '/v1/promote', body)
        }
      }),
    )
    rates.push((AGENTS * perAgent * 1000) / (performance.now() - startedAt))
  }
  report({
    what: `promote, ${AGENTS} clients on ${AGENTS} agents`,
    value: median(rates),
    unit: 'req/s',
    target: { atLeast: 400 },
  })
}

async function promotable(services: Services, agentId: string): Promise<readonly [string, string]> {
  const releases = [
    await benchRelease(services, '1', agentId),
    await benchRelease(services, '2', agentId),
  ] as const
  const until = Date.now()
  const events = releases.flatMap(release =>
    Array.from({ length: EVENTS }, (_, index) => ({
      ...benchEvent(release, index, until - 60_000 - index * 1000),
      agent_id: agentId,
    })),
  )
  await ingestEvents(services, events)
  return releases
}
