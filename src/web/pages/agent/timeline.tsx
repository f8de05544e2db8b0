import { useRef, useState } from 'preact/hooks'
import type { Hue, Mark } from '../../components/charts/series.ts'
import { type Ramp, type Span, useMarks } from '../../components/panels.tsx'
import { Words } from '../../components/text.tsx'
import { axisTime, exactTime, percent } from '../../format.ts'
import { href, visit } from '../../route.ts'
import type { Stay } from './stays.ts'

interface Lane {
  readonly environment: string
  readonly stays: readonly Stay[]
  readonly ramps: readonly Ramp[]
  /** Decisions there. */
  readonly marks: readonly Mark[]
}

/** Shortest window that can be chosen, ms. */
const LEAST_MS = 15 * 60_000

/**
 * What was live where, a lane per environment, with what happened meanwhile. Dragging over it, or the arrow keys below it,
 * choose the window of everything on the page.
 */
export function Timeline({
  agent,
  lanes,
  span,
  chosen,
  nameOf,
  hues,
  onChoose,
}: {
  agent: string
  lanes: readonly Lane[]
  span: Span
  chosen: Span | undefined
  nameOf: (releaseId: string) => string
  hues: ReadonlyMap<string, Hue>
  onChoose: (since: number, until: number) => void
}) {
  const area = useRef<HTMLDivElement>(null)
  const [drag, setDrag] = useState<readonly [from: number, to: number] | undefined>(undefined)
  const shown = drag === undefined ? chosen : { since: Math.min(...drag), until: Math.max(...drag) }
  function timeAt(clientX: number): number {
    const { left, width } = area.current!.getBoundingClientRect()
    return span.since + Math.min(1, Math.max(0, (clientX - left) / width)) * (span.until - span.since)
  }
  function drop(): void {
    if (drag !== undefined && Math.abs(drag[1] - drag[0]) >= LEAST_MS) {
      onChoose(Math.min(...drag), Math.max(...drag))
    }
    setDrag(undefined)
  }
  return (
    <div class="timeline">
      <ul class="lane-names">
        {lanes.map(({ environment }) => (
          <li key={environment}>
            <Words clip>{environment}</Words>
          </li>
        ))}
      </ul>
      <div
        class="lanes"
        ref={area}
        onPointerDown={event => {
          if (event.button !== 0) return
          const at = timeAt(event.clientX)
          setDrag([at, at])
        }}
        onPointerMove={event => drag !== undefined && setDrag([drag[0], timeAt(event.clientX)])}
        onPointerUp={drop}
        onPointerLeave={drop}
      >
        {lanes.map(lane => (
          <LaneRow key={lane.environment} agent={agent} lane={lane} span={span} nameOf={nameOf} hues={hues} />
        ))}
        {shown !== undefined && <span class="chosen" style={placeOf(shown, span)} />}
        <Axis span={span} />
      </div>
      <Handle span={span} chosen={chosen} onChoose={onChoose} />
    </div>
  )
}

function LaneRow({
  agent,
  lane: { environment, stays, ramps, marks },
  span,
  nameOf,
  hues,
}: {
  agent: string
  lane: Lane
  span: Span
  nameOf: (releaseId: string) => string
  hues: ReadonlyMap<string, Hue>
}) {
  const others = useMarks(agent, environment)
  const seen = (since: number, until: number): boolean => until > span.since && since < span.until
  const bars = stays.filter(({ since, until }) => seen(since, until ?? span.until))
  const said = bars.map(
    ({ release_id, since, until }) =>
      `${nameOf(release_id)} from ${exactTime(since).slice(0, 16)}${until === null ? ' on' : ''}`,
  )
  return (
    <div class="lane" role="img" aria-label={`${environment}: ${said.join(', ') || 'nothing was live'}`}>
      {bars.map(({ release_id, since, until }) => (
        <span
          key={since}
          class={`stay ${hues.get(release_id) ?? 'r5'}`}
          style={placeOf({ since, until: until ?? span.until }, span)}
          title={`${nameOf(release_id)}, from ${exactTime(since)}${until === null ? '' : ` to ${exactTime(until)}`}`}
          onDblClick={() => visit(href('release', { id: release_id }))}
        >
          <Words>{nameOf(release_id)}</Words>
        </span>
      ))}
      {ramps.map(({ link, label, release_id, steps }) =>
        steps
          .filter(step => seen(step.since, step.until))
          .map(step => (
            <span
              key={`${link} ${step.since}`}
              class={`ramp-step ${hues.get(release_id) ?? 'r5'}`}
              style={{ ...placeOf(step, span), height: `${Math.max(8, step.share * 100)}%` }}
              title={`${label} (${percent(step.share)})`}
            />
          )),
      )}
      {[...marks, ...others]
        .filter(({ at }) => at >= span.since && at <= span.until)
        .map(({ at, label, kind }) => (
          <span
            key={`${at} ${label}`}
            class={`tick ${kind}`}
            style={{ left: placeOf({ since: at, until: at }, span).left }}
            title={`${exactTime(at)} ${label}`}
          />
        ))}
    </div>
  )
}

/** Where an interval is, in shares of the width. */
function placeOf(
  { since, until }: Pick<Span, 'since' | 'until'>,
  span: Pick<Span, 'since' | 'until'>,
): { readonly left: string; readonly width: string } {
  const share = (at: number): number =>
    Math.min(1, Math.max(0, (at - span.since) / (span.until - span.since)))
  return { left: `${share(since) * 100}%`, width: `${(share(until) - share(since)) * 100}%` }
}

function Axis({ span: { since, until } }: { span: Span }) {
  return (
    <div class="lane-axis faint figures" aria-hidden="true">
      {[0, 0.25, 0.5, 0.75, 1].map(share => (
        <span key={share}>{axisTime(since + share * (until - since), since, until)}</span>
      ))}
    </div>
  )
}

/** The window by keys: arrows move it, with Shift they move its beginning. */
function Handle({
  span,
  chosen,
  onChoose,
}: {
  span: Span
  chosen: Span | undefined
  onChoose: (since: number, until: number) => void
}) {
  const whole = span.until - span.since
  const step = whole / 28
  const { since, until } = chosen ?? span
  function move(key: string, isEdge: boolean): boolean {
    const by = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step }[key]
    if (by === undefined) return false
    // From the whole span the first key leaves the last two steps of it.
    const from = chosen === undefined ? span.until - 2 * step : since
    if (chosen === undefined) onChoose(from, span.until)
    else if (isEdge) onChoose(Math.min(until - LEAST_MS, Math.max(span.since, since + by)), until)
    else {
      const allowed = Math.max(span.since - since, Math.min(span.until - until, by))
      onChoose(since + allowed, until + allowed)
    }
    return true
  }
  return (
    <div
      class="window-handle"
      role="slider"
      tabIndex={0}
      aria-label="Window of this page"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(((until - span.since) / whole) * 100)}
      aria-valuetext={`${exactTime(since).slice(0, 16)} to ${exactTime(until).slice(0, 16)}`}
      onKeyDown={event => {
        if (move(event.key, event.shiftKey)) event.preventDefault()
      }}
    >
      <span class="chosen" style={placeOf({ since, until }, span)} />
    </div>
  )
}
