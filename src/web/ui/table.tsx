import type { ComponentChildren } from 'preact'
import { inWords } from './text.tsx'

export interface Column<R> {
  readonly label: string
  readonly cell: (row: R) => ComponentChildren
  /** `number` is aligned right in tabular figures; `actions` has no visible heading. */
  readonly kind?: 'number' | 'actions' | 'grow'
  /** Left out where there is no room; the same is elsewhere too. */
  readonly minor?: boolean
}

/**
 * A table that becomes a list of cards where there is no room. The roles are written out, because a browser drops
 * those of a table that is not laid out as one.
 */
export function Table<R extends object>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  caption: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  keyOf: (row: R) => string | number
}) {
  return (
    <table class="table" role="table">
      <caption class="hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label, kind, minor }) => (
            <th key={label} role="columnheader" scope="col" class={classOf(kind, minor)}>
              {kind === 'actions' ? <span class="hidden">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(row => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ label, cell, kind, minor }) => (
              <td
                key={label}
                role="cell"
                class={classOf(kind, minor)}
                data-label={kind === 'actions' ? undefined : label}
              >
                {kind === 'number' ? cell(row) : inWords(cell(row))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function classOf(kind = '', minor = false): string {
  return minor ? `${kind} minor` : kind
}

/** Terms and what they are; what is null is left out. */
export function Facts({ facts }: { facts: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(facts)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{inWords(value)}</dd>
          </div>
        ))}
    </dl>
  )
}
