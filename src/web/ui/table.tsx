import type { ComponentChildren } from 'preact'
import type { Tone } from './badge.tsx'
import { inWords } from './text.tsx'

export interface Column<R> {
  readonly label: string
  readonly cell: (row: R) => ComponentChildren
  /** Classes. `number` is aligned right in tabular figures; `head` names the row; it, `actions` and `axis-cell` have no visible heading. */
  readonly kind?: string
  /** Left out where there is no room; the same is elsewhere too. */
  readonly minor?: boolean
}

/**
 * A table that becomes a list of cards where there is no room. The roles are written out, because a browser drops
 * those of a table that is not laid out as one.
 */
export function Table<R extends object>({
  caption,
  kind = 'table',
  columns,
  rows,
  keyOf,
  toneOf,
}: {
  caption: string
  /** How it is laid out. */
  kind?: 'table' | 'limits-table'
  columns: readonly Column<R>[]
  rows: readonly R[]
  keyOf: (row: R) => string | number
  toneOf?: (row: R) => Tone
}) {
  return (
    <table class={kind} role="table">
      <caption class="hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column, index) => (
            <th key={index} role="columnheader" scope="col" class={classOf(column)}>
              {isBare(column) ? <span class="hidden">{column.label}</span> : inWords(column.label)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(row => (
          <tr key={keyOf(row)} role="row" class={toneOf?.(row)}>
            {columns.map((column, index) => {
              const Cell = column.kind === 'head' ? 'th' : 'td'
              return (
                <Cell
                  key={index}
                  role={column.kind === 'head' ? 'rowheader' : 'cell'}
                  class={classOf(column)}
                  data-label={isBare(column) ? undefined : column.label}
                >
                  {column.kind?.startsWith('number') === true ? column.cell(row) : inWords(column.cell(row))}
                </Cell>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const classOf = ({ kind = '', minor = false }: Pick<Column<never>, 'kind' | 'minor'>): string =>
  minor ? `${kind} minor` : kind

const isBare = ({ kind }: Pick<Column<never>, 'kind'>): boolean =>
  ['actions', 'head', 'axis-cell'].includes(kind ?? '')

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
