import { drainOutbox } from '../../support/services/drain_outbox.ts'
import { type Place, acknowledge, input, open } from './support.ts'

/** Sends what is in the outbox, concurrently with others that do the same. */
const services = await open(input<{ place: Place }>().place)
await drainOutbox(services)
acknowledge('drained')
await services.sql.close()
