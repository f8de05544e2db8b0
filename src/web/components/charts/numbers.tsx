import { exactTime } from '../../format.ts'
import type { ChartProps } from './series.ts'

/** What a chart shows, as a table; and what was decided meanwhile. */
export function Numbers({
  title,
  lines,
  format,
  along = at => exactTime(at).slice(0, 16),
  times,
  marks = [],
}: Pick<ChartProps, 'title' | 'lines' | 'format' | 'marks'> & {
  times: readonly number[]
  along: ChartProps['along'] | undefined
}) {
  return (
    <details class="raw">
      <summary>Numbers</summary>
      <div class="numbers" tabIndex={0} role="group" aria-label={`${title}, numbers`}>
        <table>
          <caption class="hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              {lines.map(({ kind, name }) => (
                <th key={kind} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map(at => (
              <tr key={at}>
                <th scope="row">{along(at)}</th>
                {lines.map(({ kind, points }) => {
                  const point = points.find(({ at: time }) => time === at)
                  return (
                    <td key={kind} class="number">
                      {point?.value == null ? 'no data' : format(point.value)}
                      {point?.spread !== undefined && (
                        <span class="faint">
                          {' '}
                          ({format(point.spread[0])} to {format(point.spread[1])})
                        </span>
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
        {marks.map(({ at, label }) => (
          <p key={`${at} ${label}`} class="faint">
            {along(at)} {label}
          </p>
        ))}
      </div>
    </details>
  )
}
