import type { PricingCatalog } from '../../models/documents/catalog.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import type { ACTOR_SOURCES } from '../../models/names.ts'
import type { Signer } from '../../rules/keys.ts'
import type { Sql } from '../../sql/port.ts'
import type { Memo } from './memo.ts'
import type { Send } from './send.ts'
import type { ServerTally } from './tally.ts'

/** All that the operations of the ledger know of the world. */
export interface Ledger {
  readonly sql: Sql
  readonly workspace: WorkspaceConfig
  /** The clock, epoch milliseconds. */
  readonly now: () => number
  /** Time of this process that only goes forward, ms, for durations. */
  readonly elapsed: () => number
  /** A fresh id: the prefix and 12 hex characters from a cryptographic source; secrets are made of them too. */
  readonly newId: (prefix: string) => string
  readonly log: Log
  readonly memo: Memo
  /** What this process counts of its own work. */
  readonly tally: ServerTally
  /** The operator's pricing catalog as it is now. */
  readonly catalog: () => Promise<CatalogState>
  /** Posts webhook deliveries. */
  readonly send: Send
  /**
   * Called when something was put in the outbox; returns at once. The runtime sends it when it can: a server next to its
   * requests, Workers by `waitUntil`, the command line before it ends.
   */
  readonly outboxFilled: () => void
  /** Signs attestations and checkpoints, where there is a key. */
  readonly signer?: Signer
  /** What there is besides the core. */
  readonly features: Features
}

export type Log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

/** Runs a batch, and waits after it as long as others need. What it throws ends the work between two batches. */
export type Pace = <T>(batch: () => Promise<T>) => Promise<T>

/** Hears how far a long work is. */
export type Progress = (step: string, done: number, total: number) => void

export type CatalogState =
  | { readonly state: 'off' }
  | { readonly state: 'malformed'; readonly problem: string }
  | { readonly state: 'on'; readonly catalog: PricingCatalog }

/** Who requests a change, and how we know. */
export interface Actor {
  readonly name: string
  readonly source: (typeof ACTOR_SOURCES)[number]
  /** What a caller with a credential of its own calls itself besides, which nothing proves. */
  readonly claimed?: string
  /** Whom an identity provider vouches for. */
  readonly identity?: Identity
  /** Whether it is a person who has signed in, rather than a program. */
  readonly isSignedIn?: true
}

/** Who wants something that others may have to agree to. */
export type Wanting = Pick<Actor, 'name' | 'claimed' | 'identity'> & { readonly source?: string }

/** A subject, which is unique within its issuer and never given to another (OpenID Connect Core 1.0, 2). */
export interface Identity {
  readonly issuer: string
  readonly subject: string
}

/** Parts that features may have, by name. `src/features/feature.ts` says what they are. */
export interface Parts {}

/** By part, what loads that of each feature that has one. A part that is left out or misspelt does not compile. */
export type Features = { readonly [K in keyof Parts]: readonly (() => Promise<Parts[K]>)[] }

/** Parts by their list: asking for a module that is loaded still costs more than a small query. */
const loaded = new WeakMap<object, Promise<readonly unknown[]>>()

/** The parts of one kind that the features have, in their order. */
export function partsOf<K extends keyof Parts>(features: Features, kind: K): Promise<readonly Parts[K][]> {
  const loads = features[kind]
  let parts = loaded.get(loads) as Promise<readonly Parts[K][]> | undefined
  if (parts === undefined) {
    parts = Promise.all(loads.map(load => load()))
    loaded.set(loads, parts)
    // One that can't be loaded is tried again.
    parts.catch(() => loaded.delete(loads))
  }
  return parts
}
