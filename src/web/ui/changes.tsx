import type { ComponentChildren } from 'preact'
import { inWords } from './text.tsx'

/** A small table of what differs: a heading per row, a column per side. Its rows are the children. */
export function Changes({
  what,
  sides,
  caption,
  children,
}: {
  what: string
  caption?: string
  sides: readonly string[]
  children: ComponentChildren
}) {
  return (
    <table class="changes">
      {caption !== undefined && <caption class="hidden">{caption}</caption>}
      <thead>
        <tr>
          <th scope="col">
            <span class="hidden">{what}</span>
          </th>
          {sides.map(side => (
            <th key={side} scope="col">
              {side}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

export function Row({
  name,
  cells,
  differs = false,
}: {
  name: ComponentChildren
  cells: readonly ComponentChildren[]
  differs?: boolean
}) {
  return (
    <tr class={differs ? 'differs' : ''}>
      <th scope="row">{name}</th>
      {cells.map((cell, side) => (
        <td key={side} class="figures">
          {inWords(cell)}
        </td>
      ))}
    </tr>
  )
}
