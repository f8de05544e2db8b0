import type { ComponentChildren } from 'preact'

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
