import { type CallOptions, parseAnswer } from '../transport.ts'
import { EventClient } from './events.ts'
import type * as Api from '../types.ts'

/** The methods of the client that are about deploys. */
export class DeployCalls extends EventClient {
  /** Whether a release may pass now; see `verdict`. Writes nothing. */
  async gate(
    agent_id: string,
    environment: string,
    query: Api.GateQuery,
    options?: CallOptions,
  ): Promise<Api.Gate> {
    const call = { path: { agent_id, environment }, query }
    const answer = await this.transport.send('GET /v1/gate/{agent_id}/{environment}', call, options)
    return parseAnswer(this.transport.base, answer)
  }

  /** The same as Markdown. */
  async gateReport(
    agent_id: string,
    environment: string,
    query: Api.GateReportQuery,
    options?: CallOptions,
  ): Promise<string> {
    const call = { path: { agent_id, environment }, query }
    return (await this.transport.send('GET /v1/gate/{agent_id}/{environment}/report', call, options)).text
  }

  /** What is promoted. Undefined where it is the release that `options.ifNoneMatch` names. Throws ApiError 404 where nothing is. */
  async pointer(
    agent_id: string,
    environment: string,
    options?: CallOptions,
  ): Promise<Api.Pointer | undefined> {
    const call = { path: { agent_id, environment } }
    const answer = await this.transport.send('GET /v1/pointers/{agent_id}/{environment}', call, options)
    return answer.status === 304 ? undefined : parseAnswer(this.transport.base, answer)
  }

  /** The promoted release of each agent and environment. */
  async promoted(options?: CallOptions): Promise<Api.Promoted['promoted']> {
    const answer = await this.transport.send('GET /v1/promoted', {}, options)
    return parseAnswer<Api.Promoted>(this.transport.base, answer).promoted
  }
}
