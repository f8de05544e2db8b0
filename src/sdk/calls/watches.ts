import type { CallOptions } from '../transport.ts'
import { ScoreCalls } from './scores.ts'
import type * as Api from '../types.ts'

/** The methods of the client that are about watches. */
export class WatchCalls extends ScoreCalls {
  /** Watches what is live of an agent: compares it with the release before, minute by minute. */
  startWatch(body: Api.WatchesStartBody, options?: CallOptions): Promise<Api.Watch> {
    return this.json('POST /v1/watches', { body }, options)
  }

  /** Watches, newest first. */
  async watches(query: Api.WatchesListQuery = {}, options?: CallOptions): Promise<Api.WatchList['watches']> {
    return (await this.json<Api.WatchList>('GET /v1/watches', { query }, options)).watches
  }

  /** One watch with its last looks. */
  watch(watch_id: string, options?: CallOptions): Promise<Api.WatchDetail> {
    return this.json('GET /v1/watches/{watch_id}', { path: { watch_id } }, options)
  }

  cancelWatch(watch_id: string, body: Api.WatchesCancelBody, options?: CallOptions): Promise<Api.Watch> {
    return this.json('POST /v1/watches/{watch_id}/cancel', { path: { watch_id }, body }, options)
  }
}
