import type { Call, Route } from '../call.ts'
import { type CallOptions, type Transport, parseAnswer } from '../transport.ts'

/** What the methods of the client are made of. Each subject has a class of its own over the one before it. */
export class Calls {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  protected async json<T>(route: Route, call: Call, options?: CallOptions): Promise<T> {
    return parseAnswer(this.transport.base, await this.transport.send(route, call, options))
  }
}
