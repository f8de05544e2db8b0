import { drainOutbox } from '../../../src/ledger/dispatcher.ts'
import { acknowledge, input, open } from './support.ts'

/** Sends what is in the outbox, beside others that do the same. */
const services = await open(input<{ folder: string }>().folder)
await drainOutbox(services)
acknowledge('drained')
await services.sql.close()
