import { useState } from 'preact/hooks'
import { axisTime, exactTime } from '../../format.ts'
import { niceTicks, scale } from './scale.ts'

export interface Line {
  readonly name: string
  readonly kind: 'baseline' | 'candidate'
  readonly points: readonly { readonly at: number; readonly value: number | null }[]
}

interface ChartProps {
  readonly title: string
  readonly lines: readonly Line[]
  readonly format: (value: number) => string
  readonly limit: number | null
  readonly since: number
  readonly until: number
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [360, 168, 66, 10, 10, 24]

/** Values over time, with the limit of the policy as a line; the same numbers stand in a table below. */
export function Chart(props: ChartProps) {
  const { title, lines, format, limit, since, until } = props
  const [pointed, setPointed] = useState<number | undefined>(undefined)
  const values = lines.flatMap(line => line.points.map(point => point.value)).filter(value => value !== null)
  if (values.length === 0) return <p class="faint">No data in this window.</p>
  const ticks = niceTicks(Math.max(...values, limit ?? 0))
  const x = scale([since, until], [LEFT, WIDTH - RIGHT])
  const y = scale([0, ticks.at(-1)!], [HEIGHT - BOTTOM, TOP])
  const times = [...new Set(lines.flatMap(line => line.points.map(point => point.at)))].sort((a, b) => a - b)
  const nearest = pointed === undefined ? undefined : nearestOf(times, pointed)
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <span class="faint figures">
          {nearest === undefined ? <Legend lines={lines} limit={limit} /> : readout(props, nearest)}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title} over time; the table below has the numbers`}
        onPointerMove={event => {
          const box = event.currentTarget.getBoundingClientRect()
          const px = ((event.clientX - box.left) / box.width) * WIDTH
          setPointed(since + ((px - LEFT) / (WIDTH - RIGHT - LEFT)) * (until - since))
        }}
        onPointerLeave={() => setPointed(undefined)}
      >
        {ticks.map(tick => (
          <g key={tick}>
            <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 6} y={y(tick) + 3.5} text-anchor="end">
              {tickText(format(tick))}
            </text>
          </g>
        ))}
        {[0, 0.5, 1].map(part => (
          <text
            key={part}
            x={x(since + part * (until - since))}
            y={HEIGHT - 6}
            text-anchor={['start', 'middle', 'end'][part * 2]}
          >
            {axisTime(since + part * (until - since), until - since)}
          </text>
        ))}
        {limit !== null && <line class="limit" x1={LEFT} x2={WIDTH - RIGHT} y1={y(limit)} y2={y(limit)} />}
        {lines.map(line => (
          <Path key={line.kind} line={line} x={x} y={y} />
        ))}
        {nearest !== undefined && (
          <line class="pointer" x1={x(nearest)} x2={x(nearest)} y1={TOP} y2={HEIGHT - BOTTOM} />
        )}
      </svg>
      <Numbers {...props} times={times} />
    </figure>
  )
}

/** A round number needs no zeros behind the point. */
function tickText(text: string): string {
  return text.replace(/(\.\d*?)0+(?=\D*$)/, '$1').replace(/\.(?=\D*$)/, '')
}

function Path({ line, x, y }: { line: Line; x: (value: number) => number; y: (value: number) => number }) {
  const known = line.points.filter(point => point.value !== null)
  const [only] = known
  if (only !== undefined && known.length === 1) {
    return <circle class={`series-dot ${line.kind}`} cx={x(only.at)} cy={y(only.value!)} r="3" />
  }
  const d = known.map(({ at, value }, index) => `${index === 0 ? 'M' : 'L'}${x(at)} ${y(value!)}`).join('')
  return <path class={`series ${line.kind}`} d={d} />
}

function Legend({ lines, limit }: { lines: readonly Line[]; limit: number | null }) {
  return (
    <span class="legend">
      {lines.map(({ kind, name }) => (
        <span key={kind} class={`key ${kind}`}>
          {name}
        </span>
      ))}
      {limit !== null && <span class="key limit">limit</span>}
    </span>
  )
}

function readout({ lines, format }: ChartProps, at: number): string {
  const parts = lines.map(({ name, points }) => {
    const value = points.find(point => point.at === at)?.value
    return `${name} ${value == null ? 'none' : format(value)}`
  })
  return `${exactTime(at).slice(5, 16)}: ${parts.join(', ')}`
}

function nearestOf(times: readonly number[], at: number): number | undefined {
  return times.reduce<number | undefined>(
    (best, time) => (best === undefined || Math.abs(time - at) < Math.abs(best - at) ? time : best),
    undefined,
  )
}

function Numbers({ title, lines, format, times }: ChartProps & { times: readonly number[] }) {
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
                <th scope="row">{exactTime(at).slice(0, 16)}</th>
                {lines.map(({ kind, points }) => {
                  const value = points.find(point => point.at === at)?.value
                  return (
                    <td key={kind} class="number">
                      {value == null ? 'none' : format(value)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
