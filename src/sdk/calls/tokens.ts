import type { Call, Route } from '../call.ts'
import { type CallOptions, type Transport, parseAnswer } from '../transport.ts'
import { DeployCalls } from './deploys.ts'
import type * as Api from '../types.ts'

/** The methods of the client that are about named credentials. */
export class TokenCalls extends DeployCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    super(transport)
    this.#transport = transport
  }

  /** Named credentials, oldest first, also those that are over. */
  async tokens(options?: CallOptions): Promise<Api.TokenList['tokens']> {
    return (await this.#json<Api.TokenList>('GET /v1/tokens', {}, options)).tokens
  }

  /** Makes a named credential. The answer holds the token, which is told this once. */
  createToken(body: Api.TokensCreateBody, options?: CallOptions): Promise<Api.CreatedToken> {
    return this.#json('POST /v1/tokens', { body }, options)
  }

  /** Replaces a named credential; the one before it stays good for `overlap`. */
  rotateToken(
    name: string,
    body: Api.TokensRotateBody = {},
    options?: CallOptions,
  ): Promise<Api.CreatedToken> {
    return this.#json('POST /v1/tokens/{name}/rotate', { path: { name }, body }, options)
  }

  revokeToken(name: string, options?: CallOptions): Promise<Api.RevokedToken> {
    return this.#json('DELETE /v1/tokens/{name}', { path: { name } }, options)
  }

  async #json<T>(route: Route, call: Call, options?: CallOptions): Promise<T> {
    return parseAnswer(this.#transport.base, await this.#transport.send(route, call, options))
  }
}
