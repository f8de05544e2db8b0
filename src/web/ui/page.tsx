import type { ComponentChildren } from 'preact'
import { change, param } from '../route.ts'
import { Button } from './button.tsx'

/** The heading of a page, and what can be done there. */
export function PageHead({
  title,
  about,
  children,
}: {
  title: ComponentChildren
  about?: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        {about !== undefined && <p>{about}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  )
}

export function Section({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <section class="section">
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}

/** A section that shows its content on demand; the address says which are open. */
export function Fold({
  title,
  name,
  aside,
  isNeeded = false,
  children,
}: {
  title: string
  /** In the address. */
  name: string
  aside?: ComponentChildren
  /** Whether something in it is on show, whatever the address says. */
  isNeeded?: boolean
  children: ComponentChildren
}) {
  const open = param('open').split(' ').filter(Boolean)
  const isOpen = isNeeded || open.includes(name)
  const others = open.filter(one => one !== name)
  return (
    <Section
      title={title}
      aside={
        <div class="actions">
          {aside}
          <Button
            kind="small"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} ${title}`}
            onClick={() =>
              change({ open: (isOpen ? others : [...others, name]).join(' ') }, { replace: true })
            }
          >
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        </div>
      }
    >
      {isOpen && children}
    </Section>
  )
}
