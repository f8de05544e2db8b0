import { useEffect, useRef, useState } from 'preact/hooks'
import { Changes, Row } from '../changes.tsx'
import { type Format, axisTime, exactTime } from '../../format.ts'
import { type ChartProps, type Line, niceTicks, scale } from './series.ts'

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [176, 74, 10, 14, 24]

/** A limit so many times as high as the data would press the data flat: it is named at the edge instead. */
const FAR = 1.6

/** Values over time, or along another axis, with the limit of the policy as a line; the same numbers are in a table below. */
export function Chart(props: ChartProps) {
  const { title, lines, format, limit, along, from, to = 0, since, until, marks = [], pointed } = props
  const [place, width] = useWidth()
  const values = lines.flatMap(line => line.points.map(point => point.value)).filter(value => value !== null)
  const most = Math.max(0, ...values)
  const isFar = limit !== null && limit > most * FAR
  const least = from ?? 0
  const ticks = niceTicks(Math.max(most, to, isFar ? 0 : (limit ?? 0)), least)
  const x = scale([since, until], [LEFT, width - RIGHT])
  const y = scale([ticks[0]!, ticks.at(-1)!], [HEIGHT - BOTTOM, TOP])
  const times = [...new Set(lines.flatMap(line => line.points.map(point => point.at)))].sort((a, b) => a - b)
  const nearest = pointed.value === undefined ? undefined : nearestOf(times, pointed.value)
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="faint figures" aria-live="polite">
          {nearest === undefined ? (
            <Legend lines={lines} limit={limit} isFar={isFar} format={format} />
          ) : (
            readout(props, nearest)
          )}
        </span>
      </figcaption>
      <div ref={place}>
        {values.length === 0 ? (
          <p class="faint chart-empty">No data in this window.</p>
        ) : (
          <svg
            viewBox={`0 0 ${width} ${HEIGHT}`}
            role="img"
            tabIndex={0}
            aria-label={`${title}${along === undefined ? ' over time' : ''}; left and right move along it, the table below has the numbers`}
            onPointerMove={event => {
              const box = event.currentTarget.getBoundingClientRect()
              const px = ((event.clientX - box.left) / box.width) * width
              pointed.value = since + ((px - LEFT) / (width - RIGHT - LEFT)) * (until - since)
            }}
            onPointerLeave={() => (pointed.value = undefined)}
            onBlur={() => (pointed.value = undefined)}
            onKeyDown={event => {
              const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
              if (step === undefined) return
              event.preventDefault()
              const now = nearest === undefined ? (step > 0 ? -1 : times.length) : times.indexOf(nearest)
              pointed.value = times[Math.min(times.length - 1, Math.max(0, now + step))]
            }}
          >
            <Grid ticks={ticks} format={format} y={y} width={width} />
            {(['start', 'middle', 'end'] as const).map((anchor, half) => {
              const at = since + (half / 2) * (until - since)
              return (
                <text key={anchor} x={x(at)} y={HEIGHT - 6} text-anchor={anchor}>
                  {along?.(at) ?? axisTime(at, since, until)}
                </text>
              )
            })}
            {limit !== null && !isFar && (
              <line class="limit" x1={LEFT} x2={width - RIGHT} y1={y(limit)} y2={y(limit)} />
            )}
            {marks.map(({ at, label, kind }) => (
              <line
                key={`${at} ${label}`}
                class={`mark ${kind}`}
                x1={x(at)}
                x2={x(at)}
                y1={TOP}
                y2={HEIGHT - BOTTOM}
              >
                <title>{label}</title>
              </line>
            ))}
            {lines.map(line => (
              <Path key={line.kind} line={line} x={x} y={y} top={ticks.at(-1)!} />
            ))}
            {nearest !== undefined && (
              <line class="pointer" x1={x(nearest)} x2={x(nearest)} y1={TOP} y2={HEIGHT - BOTTOM} />
            )}
          </svg>
        )}
      </div>
      <Numbers title={title} lines={lines} format={format} along={along} times={times} marks={marks} />
    </figure>
  )
}

/** The width that there is, so that letters are of one size on every screen. */
function useWidth(): readonly [ref: { current: HTMLDivElement | null }, width: number] {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(420)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width))
    })
    observer.observe(ref.current!)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}

type Scale = (value: number) => number

function Grid({
  ticks,
  format,
  y,
  width,
}: {
  ticks: readonly number[]
  format: Format
  y: Scale
  width: number
}) {
  return (
    <>
      {ticks.map(tick => (
        <g key={tick}>
          <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
            {tickText(format(tick))}
          </text>
        </g>
      ))}
    </>
  )
}

/** A round number needs no zeros behind the point. */
function tickText(text: string): string {
  return text.replace(/(\.\d*?)0+(?=\D*$)/, '$1').replace(/\.(?=\D*$)/, '')
}

function Path({ line, x, y, top }: { line: Line; x: Scale; y: Scale; top: number }) {
  const known = line.points.filter(point => point.value !== null)
  const [only] = known
  const d = known.map(({ at, value }, index) => `${index === 0 ? 'M' : 'L'}${x(at)} ${y(value!)}`).join('')
  return (
    <>
      <path class={`spread ${line.kind}`} d={bandOf(known, x, value => y(Math.min(top, value)))} />
      {only !== undefined && known.length === 1 ? (
        <circle class={`series-dot ${line.kind}`} cx={x(only.at)} cy={y(only.value!)} r="3" />
      ) : (
        <path class={`series ${line.kind}`} d={d} />
      )}
    </>
  )
}

/** The area between the ends of the intervals: there along the upper ones, back along the lower. */
function bandOf(points: Line['points'], x: Scale, y: Scale): string {
  const known = points.flatMap(({ at, spread }) => (spread === undefined ? [] : [{ at: x(at), spread }]))
  if (known.length === 0) return ''
  const upper = known.map(({ at, spread }) => `${at} ${y(spread[1])}`)
  const lower = known.map(({ at, spread }) => `${at} ${y(spread[0])}`)
  return `M${[...upper, ...lower.toReversed()].join('L')}Z`
}

function Legend({
  lines,
  limit,
  isFar,
  format,
}: Pick<ChartProps, 'lines' | 'limit' | 'format'> & { isFar: boolean }) {
  return (
    <span class="legend">
      {lines.map(({ kind, name }) => (
        <span key={kind} class={`key ${kind}`}>
          {name}
        </span>
      ))}
      {limit !== null &&
        (isFar ? <span>limit {format(limit)}, above ↑</span> : <span class="key limit">limit</span>)}
    </span>
  )
}

function readout({ lines, format, along, marks = [] }: ChartProps, at: number): string {
  const parts = lines.map(({ name, points }) => {
    const value = points.find(point => point.at === at)?.value
    return `${name} ${value == null ? 'no data' : format(value)}`
  })
  const step = Math.min(...lines.flatMap(({ points }) => points.slice(1).map((p, i) => p.at - points[i]!.at)))
  const decided = marks.filter(mark => mark.at >= at && mark.at < at + step).map(({ label }) => label)
  return [`${along?.(at) ?? exactTime(at).slice(5, 16)}: ${parts.join(', ')}`, ...decided].join('; ')
}

function nearestOf(times: readonly number[], at: number): number | undefined {
  return times.reduce<number | undefined>(
    (best, time) => (best === undefined || Math.abs(time - at) < Math.abs(best - at) ? time : best),
    undefined,
  )
}

/** What a chart shows, as a table; and what was decided meanwhile. */
function Numbers({
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
        <Changes what="From" sides={lines.map(({ name }) => name)}>
          {times.map(at => (
            <Row
              key={at}
              name={along(at)}
              cells={lines.map(({ points }) => {
                const { value = null, spread } = points.find(({ at: time }) => time === at) ?? {}
                if (value === null) return 'no data'
                const ends = spread === undefined ? '' : ` (${format(spread[0])} to ${format(spread[1])})`
                return `${format(value)}${ends}`
              })}
            />
          ))}
        </Changes>
        {marks.map(({ at, label }) => (
          <p key={`${at} ${label}`} class="faint">
            {along(at)} {label}
          </p>
        ))}
      </div>
    </details>
  )
}
