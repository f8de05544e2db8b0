import { ingestInChunks } from './chunks.ts'
import { type ClientOptions, type Ingested, checkNumber } from './options.ts'
import { type CallOptions, Transport } from './transport.ts'
import type * as Api from './types.ts'

/**
 * Sends run events to a release governance service, and nothing else: all that an EventQueue needs, for programs that
 * count their bytes. ServiceClient can do the same, and the rest.
 */
export class EventClient {
  readonly baseUrl: string
  readonly chunkSize: number
  /** Stores events that are JSON text already, in one request. */
  readonly ingestJson: (
    events: readonly string[],
    options?: CallOptions,
    dropped?: Api.Events['dropped'],
  ) => Promise<Api.IngestResult>

  /** `baseUrl` is where the service is, such as `http://127.0.0.1:8765`. Throws ClientError for a bad option. */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    const transport = new Transport(baseUrl, options, () => ({ repeatable: true }))
    this.baseUrl = transport.base
    this.chunkSize = chunkSizeOf(options)
    // A private field for the transport would make this type one that a ServiceClient can't be used for.
    this.ingestJson = (events, call, dropped) => sendEvents(transport, events, call, dropped)
  }

  /**
   * Stores run events, in requests of `chunkSize`. A run_id that is stored already counts as skipped, so after an
   * error the same call can simply be made again.
   */
  ingest(events: readonly Api.RunEvent[], options?: CallOptions): Promise<Ingested> {
    return ingestInChunks(events, this.chunkSize, jsons => this.ingestJson(jsons, options))
  }
}

export function chunkSizeOf({ chunkSize = 500 }: ClientOptions): number {
  return checkNumber('chunkSize', chunkSize, 1)
}

export function sendEvents(
  transport: Transport,
  events: readonly string[],
  options?: CallOptions,
  dropped: Api.Events['dropped'] = [],
): Promise<Api.IngestResult> {
  const also = dropped.length === 0 ? '' : `,"dropped":${JSON.stringify(dropped)}`
  return transport.call('POST /v1/events', { bodyText: `{"events":[${events.join(',')}]${also}}` }, options)
}
