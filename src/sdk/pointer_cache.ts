import { type Assigned, assignBy } from './assign.ts'
import type { ServiceClient } from './client.ts'
import { checkNumber } from './options.ts'
import type { Pointer } from './types.ts'

export interface PointerCacheOptions {
  /** How often a pointer in use is read again, ms, give or take a fifth. Default 10000. */
  readonly pollMs?: number
  /** Longest wait of the first `get` of a place for the service, ms. Default 2000. */
  readonly firstWaitMs?: number
  /** Node: a folder in which the last known pointers are kept, for a start while the service is away. */
  readonly folder?: string
  /** Called when a read begins to fail, and not again until one succeeded. Default: a line on `console.warn`. */
  readonly onError?: (problem: PointerProblem) => void
}

export interface PointerProblem {
  readonly agent_id: string
  readonly environment: string
  readonly message: string
  readonly cause: unknown
}

/** A pointer that says what a session, tenant or user is to run while a rollout splits it. */
export interface LivePointer extends Pointer {
  /**
   * What the key is to run: by the rollout while its lease lasts, otherwise what is promoted. `key` is the session, tenant
   * or user that `split.by` says. Never throws.
   */
  readonly assign: (key?: string) => Assigned
}

/** Pause after failed reads, ms, at most. */
const LONGEST_PAUSE_MS = 60_000

/**
 * The promoted releases, for programs that ask at every run. What is known is answered at once, and read again in the
 * background; while the service is away the last known release stays. Never throws, and keeps no program alive.
 */
export class PointerCache {
  readonly #client: ServiceClient
  readonly #options: PointerCacheOptions
  readonly #pollMs: number
  readonly #firstWaitMs: number
  readonly #places = new Map<string, CachedPlace>()
  #closed = false

  /** Throws ClientError for a bad option. */
  constructor(client: ServiceClient, options: PointerCacheOptions = {}) {
    this.#client = client
    this.#options = options
    this.#pollMs = checkNumber('pollMs', options.pollMs ?? 10_000, 1)
    this.#firstWaitMs = checkNumber('firstWaitMs', options.firstWaitMs ?? 2000, 0)
  }

  /**
   * The pointer as it is known; the first time it waits for the service, or takes what was kept. Undefined where nothing
   * is known: nothing is promoted, or the service was never reached. Never rejects.
   */
  async get(agent_id: string, environment: string): Promise<LivePointer | undefined> {
    const place = this.#placeOf(agent_id, environment)
    await place.first
    return place.pointer
  }

  /** Ends all reading. What is known stays. */
  close(): void {
    this.#closed = true
    for (const place of this.#places.values()) {
      clearTimeout(place.timer)
      place.abort.abort()
    }
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #placeOf(agent_id: string, environment: string): CachedPlace {
    const key = JSON.stringify([agent_id, environment])
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const place: CachedPlace = {
      agent_id,
      environment,
      pointer: undefined,
      lease: { until: 0 },
      isKeyless: false,
      failures: 0,
      timer: undefined,
      abort: new AbortController(),
      kept: this.#keptOf(agent_id, environment),
      first: Promise.resolve(),
    }
    this.#places.set(key, place)
    place.first = this.#begin(place)
    return place
  }

  async #keptOf(agent_id: string, environment: string): Promise<PointerStore | undefined> {
    const { folder } = this.#options
    if (folder === undefined) return undefined
    return keptIn(folder, this.#client.baseUrl, [agent_id, environment])
  }

  /** Waits for the service as long as it may, then for what was kept. */
  async #begin(place: CachedPlace): Promise<void> {
    if (this.#closed) return
    const read = this.#poll(place)
    await within(read, this.#firstWaitMs)
    if (place.pointer !== undefined) return
    try {
      const found = await (await place.kept)?.read()
      // What was kept has no lease: it serves what was promoted.
      if (found !== undefined) place.pointer ??= this.#livePointer(place, found, { until: 0 })
    } catch (error) {
      this.#report(place, "the cached pointer can't be read", error)
    }
  }

  /** Reads once and sets the time of the next. Never rejects. */
  async #poll(place: CachedPlace): Promise<void> {
    try {
      await this.#read(place)
      place.failures = 0
    } catch (error) {
      if (this.#closed) return
      place.failures += 1
      if (place.failures === 1) this.#report(place, "the pointer can't be read", error)
    }
    if (this.#closed) return
    const longest = Math.min(Math.max(this.#pollMs, LONGEST_PAUSE_MS), this.#pollMs * 2 ** place.failures)
    // A lease is renewed twice before it ends.
    const lease = place.pointer?.split?.lease_s ?? Infinity
    const pause = Math.min(longest, (1000 * lease) / 3)
    // Spread, so that programs that started together don't ask together.
    place.timer = setTimeout(() => void this.#poll(place), pause * (0.8 + 0.4 * Math.random()))
    ;(place.timer as { unref?: () => void }).unref?.()
  }

  async #read(place: CachedPlace): Promise<void> {
    const { agent_id, environment, pointer } = place
    // The lease counts from before the answer, so that no clocks are compared and no network makes it longer.
    const requestedAt = performance.now()
    const found = await this.#client.pointer(agent_id, environment, {
      signal: place.abort.signal,
      ...(pointer === undefined ? {} : { ifNoneMatch: tagOf(pointer) }),
    })
    const until = requestedAt + 1000 * ((found ?? pointer)?.split?.lease_s ?? 0)
    if (found === undefined) {
      place.lease.until = until
      return
    }
    place.lease = { until }
    place.pointer = this.#livePointer(place, found, place.lease)
    try {
      await (await place.kept)?.write(found)
    } catch (error) {
      this.#report(place, "the pointer can't be cached", error)
    }
  }

  #livePointer(place: CachedPlace, pointer: Pointer, lease: { readonly until: number }): LivePointer {
    const { release_id, version, checksum, split } = pointer
    const assign = (key = ''): Assigned => {
      const live = { release_id, version, checksum }
      if (split === undefined || performance.now() >= lease.until) return live
      if (key !== '') return assignBy(split, key) ?? live
      if (!place.isKeyless) {
        place.isKeyless = true
        this.#report(place, `${split.rollout_id} can't assign`, `assign was called without a ${split.by}`)
      }
      return live
    }
    // Not part of what is printed, compared or sent as JSON.
    return Object.defineProperty({ ...pointer }, 'assign', { value: assign }) as LivePointer
  }

  #report({ agent_id, environment }: CachedPlace, what: string, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `${agent_id} in ${environment}: ${what}: ${reason}`
    try {
      const report = this.#options.onError ?? warn
      report({ agent_id, environment, message, cause })
    } catch {
      // A listener that throws must not take the program with it.
    }
  }
}

/** As the service tags a pointer: by all that may change but the lease. */
function tagOf({ release_id, split }: Pointer): string {
  return split === undefined ? `"${release_id}"` : `"${release_id}.${split.rollout_id}.${split.share}"`
}

function warn({ message }: PointerProblem): void {
  // oxlint-disable-next-line no-console -- without a listener nobody would learn of it
  console.warn(`release-governance: ${message}`)
}

interface CachedPlace {
  readonly agent_id: string
  readonly environment: string
  readonly abort: AbortController
  readonly kept: Promise<PointerStore | undefined>
  pointer: LivePointer | undefined
  /** Until when the split of the pointer may be used, ms by the clock of the process. */
  lease: { until: number }
  /** Whether `assign` was called without a key, which is reported once. */
  isKeyless: boolean
  /** Since the last good read. */
  failures: number
  timer: ReturnType<typeof setTimeout> | undefined
  first: Promise<void>
}

/** Waits for a promise, but no longer than so many milliseconds. */
async function within(promise: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, late])
  clearTimeout(timer)
}

/** Keeps the last known pointer of a place, for a start while the service is away. */
interface PointerStore {
  read(): Promise<Pointer | undefined>
  write(pointer: Pointer): Promise<void>
}

/** What is used of Node's file system; other runtimes have none. */
interface Files {
  mkdir(path: string, options: { recursive: true }): Promise<unknown>
  readFile(path: string, encoding: 'utf8'): Promise<string>
  writeFile(path: string, text: string): Promise<void>
  rename(from: string, to: string): Promise<void>
}

/** A file per place in a folder. Throws where the runtime has no files. */
async function keptIn(
  folder: string,
  service: string,
  [agent_id, environment]: readonly [string, string],
): Promise<PointerStore> {
  const files = nodeFiles()
  const path = `${folder}/${await nameOf(JSON.stringify([service, agent_id, environment]))}.json`
  return {
    read: async () => {
      const text = await files.readFile(path, 'utf8').catch((error: { code?: string }) => {
        if (error.code === 'ENOENT') return 'null'
        throw error as Error
      })
      const found = JSON.parse(text) as Partial<Pointer> | null
      const isIt =
        typeof found?.release_id === 'string' &&
        found.agent_id === agent_id &&
        found.environment === environment
      return isIt ? (found as Pointer) : undefined
    },
    write: async pointer => {
      await files.mkdir(folder, { recursive: true })
      // Renamed, so that a reader or a crash never meets half a file; named apart, as other processes write it too.
      const half = `${path}.${crypto.randomUUID()}`
      await files.writeFile(half, `${JSON.stringify(pointer)}\n`)
      await files.rename(half, path)
    },
  }
}

/** Found at run time, so that bundles for browsers and Workers hold no import of it. */
function nodeFiles(): Files {
  const { process: node } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => { promises: Files } | undefined }
  }
  const found = node?.getBuiltinModule?.('node:fs')
  if (found === undefined) throw new Error('This runtime has no files; leave `folder` out.')
  return found.promises
}

/** A name that any text can be a file by. */
async function nameOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest).slice(0, 16), byte => byte.toString(16).padStart(2, '0')).join('')
}
