import { id } from '../../src/http/endpoint/fields.ts'

/** Path of one watch. */
export const watchPath = { watch_id: id('Watch that is meant.') } as const
