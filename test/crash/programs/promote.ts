import { type Place, acknowledge, call, input, open } from './support.ts'

/** Promotes one release after the other until it is killed, and prints every answer. */
const { place, releases } = input<{ place: Place; releases: string[] }>()
const services = await open(place)
for (let round = 0; ; round++) {
  const answer = await call(services, 'POST /v1/promote', {
    release_id: releases[round % releases.length],
    environment: 'local',
    window: '1h',
    reason: `round ${round}`,
  })
  acknowledge(answer)
}
