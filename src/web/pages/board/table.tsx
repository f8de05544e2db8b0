import { Words } from '../../components/text.tsx'
import { useVisibleRows } from '../../components/virtual.ts'
import { hereWith } from '../../route.ts'
import { Cell } from './cell.tsx'
import { type AgentRow, CONCERNS } from './rows.ts'

/** Height of a row that has not been seen yet, px. */
const LIKELY_PX = 92

/** A row per agent, a column per environment; rows that are far from the view are not on the page. */
export function BoardTable({
  rows,
  environments,
}: {
  rows: readonly AgentRow[]
  environments: readonly string[]
}) {
  const { first, end, before, after, place } = useVisibleRows(rows.length, LIKELY_PX)
  return (
    <table class="table board" role="table" aria-rowcount={rows.length + 1}>
      <caption class="hidden">Agents by environment</caption>
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          <th role="columnheader" scope="col">
            Agent
          </th>
          {environments.map(name => (
            <th key={name} role="columnheader" scope="col">
              <Words>{name}</Words>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" ref={place}>
        <Room height={before} />
        {rows.slice(first, end).map(({ agent, entries, concerns }, index) => (
          <tr key={agent} role="row" aria-rowindex={first + index + 2} data-row={first + index}>
            <th role="rowheader" scope="row">
              <a href={hereWith({ find: agent })}>
                <Words>{agent}</Words>
              </a>
              {concerns.length > 0 && (
                <span class="concerns">
                  {CONCERNS.filter(([concern]) => concerns.includes(concern))
                    .map(([, words]) => words)
                    .join(', ')}
                </span>
              )}
            </th>
            {environments.map(name => {
              const entry = entries.get(name)
              return (
                <td key={name} role="cell" data-label={name} class={entry === undefined ? 'absent' : ''}>
                  {entry === undefined ? <span class="faint">not there</span> : <Cell entry={entry} />}
                </td>
              )
            })}
          </tr>
        ))}
        <Room height={after} />
      </tbody>
    </table>
  )
}

/** The room of rows that are not on the page. */
function Room({ height }: { height: number }) {
  return height === 0 ? null : <tr aria-hidden="true" class="room" style={{ height: `${height}px` }} />
}
