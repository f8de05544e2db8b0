import { seededRandom } from '../../../src/base/numbers.ts'
import type { Call } from '../history.ts'
import { type Place, acknowledge, call, input, open } from './support.ts'

/** Many clients of one server that move pointers and read them, and print every call with its answer. */
const {
  place,
  process: name,
  releases,
  environments,
  clients,
  decisions,
} = input<{
  place: Place
  process: number
  releases: string[]
  environments: string[]
  clients: number
  decisions: number
}>()
const services = await open(place)
await Promise.all(Array.from({ length: clients }, (_, client) => live(client)))
await services.sql.close()

/** Milliseconds of a clock that all processes of this machine share. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

async function live(client: number): Promise<void> {
  const random = seededRandom(name * 1000 + client)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  for (let left = decisions; left > 0;) {
    const environment = pick(environments)
    if (random() < 0.3) {
      acknowledge(await read())
    } else {
      const kind = pick(['promote', 'promote', 'rollback'] as const)
      acknowledge(await decide(kind, environment, pick(releases), `${name} ${client} ${left}`))
      left -= 1
    }
  }
}

/** All pointers, as one statement read them. */
async function read(): Promise<Call> {
  const invoked = now()
  const { status, body } = await call(services, 'GET /v1/promoted')
  const returned = now()
  const found = (body.promoted ?? []) as { environment: string; release_id: string }[]
  return {
    kind: 'read',
    invoked,
    returned: status === 200 ? returned : null,
    pointers: Object.fromEntries(found.map(({ environment, release_id }) => [environment, release_id])),
  }
}

async function decide(
  kind: 'promote' | 'rollback',
  environment: string,
  release_id: string,
  reason: string,
): Promise<Call> {
  const invoked = now()
  const { status, body } = await call(services, `POST /v1/${kind}`, {
    release_id,
    environment,
    window: '1h',
    reason,
  })
  const returned = now()
  const outcome =
    status === 200 ? body : (body.detail as { outcome?: Record<string, unknown> } | undefined)?.outcome
  return {
    kind: 'decision',
    invoked,
    returned: status < 500 ? returned : null,
    reason,
    status,
    ...(outcome === undefined
      ? {}
      : {
          action_id: String(outcome.action_id),
          environment,
          baseline_release_id: outcome.baseline_release_id as string | null,
          release_id,
          moved: status === 200,
        }),
  }
}
