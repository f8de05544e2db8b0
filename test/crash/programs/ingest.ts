import { eventOf } from '../../support/services/builders.ts'
import { type Place, acknowledge, call, input, open } from './support.ts'

/** Ingests small batches until it is killed, and prints the last run of each that was answered. */
const { place, release_id, name } = input<{ place: Place; release_id: string; name: string }>()
const services = await open(place)
for (let batch = 0; ; batch++) {
  const events = Array.from({ length: 700 }, (_, index) =>
    eventOf({
      release_id,
      run_id: `${name}-${batch}-${index}`,
      at: Date.now() - Math.floor(Math.random() * 7_200_000),
      latency: index,
    }),
  )
  const { status, body } = await call(services, 'POST /v1/events', { events })
  acknowledge({ batch, status, inserted: body.inserted })
}
