import type { CallOptions } from '../transport.ts'
import { PolicyCalls } from './policy.ts'
import type * as Api from '../types.ts'

/** The methods of the client that are about scores of evaluations. */
export class ScoreCalls extends PolicyCalls {
  /** Imports the scores of a suite of cases, which are no runs. Sending the newest again stores nothing. */
  importScores(body: Api.ScoresImportBody, options?: CallOptions): Promise<Api.ScoreImport> {
    return this.json('POST /v1/scores', { body }, options)
  }

  /** The imports of scores of a release, newest first. */
  async scores(query: Api.ScoresListQuery, options?: CallOptions): Promise<Api.ScoreImportList['imports']> {
    return (await this.json<Api.ScoreImportList>('GET /v1/scores', { query }, options)).imports
  }
}
