import type { ComponentChild, FunctionComponent } from 'preact'
import type { ActionDetail } from '../../models/answers/action.ts'
import type { Webhook } from '../../models/answers/webhook.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { IconName } from './icon.tsx'
import type { Beat } from '../query.ts'
import type { View } from '../route.ts'

/** Places in pages of the core that features fill, and what each place gives them. */
interface Slots {
  /** At the foot of the sidebar. */
  readonly foot: object
  /** A way in, where nothing may be read. */
  readonly entry: object
  /** Sections of the access page. */
  readonly access: object
  /** At the end of the board. */
  readonly board: object
  /** A decision on record, below its evidence. */
  readonly action: { readonly action: ActionDetail }
  /** A policy that is about to be set. Call `onTried` once it may be. */
  readonly draft: { readonly policy: Policy; readonly onTried: () => void }
  /** An incident: who was informed of it. `field` of the announcement is `id`. */
  readonly informed: { readonly event: string; readonly field: string; readonly id: string }
  /** One webhook, below its facts. */
  readonly webhook: { readonly webhook: Webhook }
  /** A webhook in the list: what became of the newest deliveries. */
  readonly delivered: { readonly webhook: Webhook }
}

/** Something that a search found, and where it is shown. */
export interface Hit {
  readonly kind: string
  readonly text: string
  readonly about: string
  readonly link: string
}

/** A page, and where it is found. */
export interface Page {
  readonly Shown: (props: object) => ComponentChild
  readonly title: string
  /** Its picture where the sidebar lists it. */
  readonly icon?: IconName
  /** The letter that follows g on the keyboard. */
  readonly key?: string
}

/** Pages in the order of the sidebar. */
export type Pages = Readonly<Partial<Record<View, Page>>>

/** What a feature adds to the web UI. */
export interface PageFeature {
  /** Pages of its own. */
  readonly pages?: Pages
  /** Paths of the API that it reads, and how often while a stream says when the audit log changes, ms. */
  readonly beats?: readonly Beat[]
  readonly panels?: { readonly [S in keyof Slots]?: FunctionComponent<Slots[S]> }
  /** What has this id; nothing for an empty one. */
  readonly useHits?: (id: string) => { readonly hits: readonly Hit[]; readonly isLoading: boolean }
}

let features: readonly PageFeature[] = []

/** Says which features the web UI has, once, before the first page is drawn: hooks rely on the list staying as it is. */
export function startPanels(all: readonly PageFeature[]): void {
  features = all
}

/** What features show in a place. */
export function Panel<S extends keyof Slots>({ slot, ...given }: { readonly slot: S } & Slots[S]) {
  const views = features.flatMap(({ panels }): FunctionComponent<Slots[S]>[] => {
    const view = panels?.[slot]
    return view === undefined ? [] : [view]
  })
  return (
    <>
      {views.map((Shown, index) => (
        <Shown key={index} {...(given as unknown as Slots[S])} />
      ))}
    </>
  )
}

export function isFilled(slot: keyof Slots): boolean {
  return features.some(({ panels }) => panels?.[slot] !== undefined)
}

export function useHits(id: string): { hits: readonly Hit[]; isLoading: boolean } {
  const found = features.flatMap(({ useHits: use }) => use?.(id) ?? [])
  return { hits: found.flatMap(({ hits }) => hits), isLoading: found.some(({ isLoading }) => isLoading) }
}
