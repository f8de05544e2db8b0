import type { ComponentChildren } from 'preact'
import { modes } from '../access.ts'
import { outage } from '../api.ts'
import { type Known, refreshAll } from '../query.ts'
import { Icon } from './icon.tsx'
import { Note } from './note.tsx'
import { TokenForm } from './token_form.tsx'
import { Time } from './text.tsx'
import { Button } from './button.tsx'

/** Shows what was read, or why there is nothing to show. What is stale stays, with a note of its age. */
export function Loaded<T>({
  known,
  children,
  lines = 4,
}: {
  known: Known<T>
  children: (data: T) => ComponentChildren
  /** Height of the placeholder, so that nothing jumps when the answer comes. */
  lines?: number
}) {
  const { data, error, at } = known
  if (data === undefined) return error === undefined ? <Skeleton lines={lines} /> : <Problem error={error} />
  return (
    <>
      {error !== undefined && outage.value === undefined && (
        <Note role="status">
          {error.message} This is from <Time at={at ?? 0} />.
        </Note>
      )}
      {children(data)}
    </>
  )
}

export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}

function Problem({ error }: { error: { status: number; message: string } }) {
  const refused = error.status === 401 || error.status === 403
  return (
    <Note tone="bad" icon={refused ? 'lock' : 'block'}>
      <p>
        <bdi>{error.message}</bdi>
      </p>
      {refused && modes.value?.mutation_auth === 'bearer' && <TokenForm />}
      {(error.status === 0 || error.status >= 500) && (
        <Button kind="small" onClick={refreshAll}>
          Try again
        </Button>
      )}
    </Note>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Tells that nothing can be read, why, and since when what is on show is not news. */
export function DownBanner() {
  const now = outage.value
  return (
    <div class="banner-place" role="status">
      {now !== undefined && (
        <p class="banner">
          <Icon name="warn" />
          <span>
            <bdi>{now.why}</bdi> What you see may be out of date since <Time at={now.since} />; trying again
            every few seconds.
          </span>
          <Button kind="small" onClick={refreshAll}>
            Try now
          </Button>
        </p>
      )}
    </div>
  )
}
