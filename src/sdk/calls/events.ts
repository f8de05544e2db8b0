import { ingestInChunks } from '../chunks.ts'
import { type ClientOptions, type Ingested, checkNumber } from '../options.ts'
import { type CallOptions, Transport } from '../transport.ts'
import { Calls } from './calls.ts'
import type * as Api from '../types.ts'

/**
 * Sends run events to a release governance service, and nothing else: all that an EventQueue needs, for programs that
 * count their bytes. ServiceClient can do the same, and the rest.
 */
export class EventClient extends Calls {
  readonly #chunkSize: number

  /** `baseUrl` is where the service is, such as `http://127.0.0.1:8765`. Throws ClientError for a bad option. */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    super(new Transport(baseUrl, options))
    this.#chunkSize = checkNumber('chunkSize', options.chunkSize ?? 500, 1)
  }

  get baseUrl(): string {
    return this.transport.base
  }

  get chunkSize(): number {
    return this.#chunkSize
  }

  /**
   * Stores run events, in requests of `chunkSize`. A run_id that is stored already counts as skipped, so after an
   * error the same call can simply be made again.
   */
  ingest(events: readonly Api.RunEvent[], options?: CallOptions): Promise<Ingested> {
    return ingestInChunks(events, this.#chunkSize, jsons => this.ingestJson(jsons, options))
  }

  /** Stores events that are JSON text already, in one request. */
  ingestJson(events: readonly string[], options?: CallOptions): Promise<Api.IngestResult> {
    return this.json('POST /v1/events', { bodyText: `{"events":[${events.join(',')}]}` }, options)
  }
}
