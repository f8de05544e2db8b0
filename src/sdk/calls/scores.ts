import type { Call, Route } from '../call.ts'
import { type CallOptions, type Transport, parseAnswer } from '../transport.ts'
import { PolicyCalls } from './policy.ts'
import type * as Api from '../types.ts'

/** The methods of the client that are about scores of evaluations. */
export class ScoreCalls extends PolicyCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    super(transport)
    this.#transport = transport
  }

  /** Imports the scores of a suite of cases, which are no runs. Sending the newest again stores nothing. */
  importScores(body: Api.ScoresImportBody, options?: CallOptions): Promise<Api.ScoreImport> {
    return this.#json('POST /v1/scores', { body }, options)
  }

  /** The imports of scores of a release, newest first. */
  async scores(query: Api.ScoresListQuery, options?: CallOptions): Promise<Api.ScoreImportList['imports']> {
    return (await this.#json<Api.ScoreImportList>('GET /v1/scores', { query }, options)).imports
  }

  async #json<T>(route: Route, call: Call, options?: CallOptions): Promise<T> {
    return parseAnswer(this.#transport.base, await this.#transport.send(route, call, options))
  }
}
