import type { ComponentChild } from 'preact'

/** What a feature adds to pages that are not its own. Each part shows nothing where it has nothing to say. */
export interface Part {
  /** At the foot of the sidebar. */
  readonly foot?: () => ComponentChild
  /** A way in, where nothing may be read. */
  readonly entry?: () => ComponentChild
  /** Sections of the access page. */
  readonly access?: () => ComponentChild
}
