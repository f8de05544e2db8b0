import { runOutbox } from '../../../src/runtime/outbox.ts'
import { type Place, acknowledge, call, input, open } from './support.ts'

/** Promotes one release after the other while it tells a webhook of it, until it is killed; prints every answer. */
const { place, releases } = input<{ place: Place; releases: string[] }>()
const services = await open(place)
const outbox = runOutbox(services)
for (let round = 0; ; round++) {
  const body = {
    release_id: releases[round % releases.length],
    environment: 'local',
    window: '1h',
    reason: `round ${round}`,
  }
  acknowledge(await call({ ...services, outboxFilled: outbox.wake }, 'POST /v1/promote', body))
}
