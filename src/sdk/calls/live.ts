import type { Call, Route } from '../call.ts'
import { type CallOptions, type Transport, parseAnswer } from '../transport.ts'
import type * as Api from '../types.ts'

/** The methods of the client that are about what is live, and about watching it. */
export class LiveCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The promoted release of each agent and environment. */
  async promoted(options?: CallOptions): Promise<Api.Promoted['promoted']> {
    return (await this.#json<Api.Promoted>('GET /v1/promoted', {}, options)).promoted
  }

  /** Where each agent stands in each environment. */
  async board(options?: CallOptions): Promise<Api.Board['board']> {
    return (await this.#json<Api.Board>('GET /v1/board', {}, options)).board
  }

  /** Watches what is live of an agent: compares it with the release before, minute by minute. */
  startWatch(body: Api.WatchesStartBody, options?: CallOptions): Promise<Api.Watch> {
    return this.#json('POST /v1/watches', { body }, options)
  }

  /** Watches, newest first. */
  async watches(query: Api.WatchesListQuery = {}, options?: CallOptions): Promise<Api.WatchList['watches']> {
    return (await this.#json<Api.WatchList>('GET /v1/watches', { query }, options)).watches
  }

  /** One watch with its last looks. */
  watch(watch_id: string, options?: CallOptions): Promise<Api.WatchDetail> {
    return this.#json('GET /v1/watches/{watch_id}', { path: { watch_id } }, options)
  }

  cancelWatch(watch_id: string, body: Api.WatchesCancelBody, options?: CallOptions): Promise<Api.Watch> {
    return this.#json('POST /v1/watches/{watch_id}/cancel', { path: { watch_id }, body }, options)
  }

  async #json<T>(route: Route, call: Call, options?: CallOptions): Promise<T> {
    return parseAnswer(this.#transport.base, await this.#transport.send(route, call, options))
  }
}
