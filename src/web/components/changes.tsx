import type { ComponentChildren } from 'preact'

/** A small table of what differs: a heading per row, a column per side. Its rows are the children. */
export function Changes({
  what,
  sides,
  children,
}: {
  what: string
  sides: readonly string[]
  children: ComponentChildren
}) {
  return (
    <table class="changes">
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
