import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Rows above and below the view that are on the page too, so that scrolling shows no gap. */
const SPARE = 6

/** Which rows are on the page, and how much room those that are not take, px. */
export interface Visible {
  readonly first: number
  readonly end: number
  readonly before: number
  readonly after: number
  /** To be set on the element that holds the rows, each with its number as `data-row`. */
  readonly place: { current: HTMLTableSectionElement | null }
}

/** Keeps only the rows on the page that are near the view; heights are measured as rows are seen. */
export function useVisibleRows(count: number, likelyHeight: number): Visible {
  const place = useRef<HTMLTableSectionElement>(null)
  const heights = useRef(new Map<number, number>())
  const [range, setRange] = useState({ first: 0, end: Math.min(count, 24) })
  const heightOf = (row: number): number => heights.current.get(row) ?? likelyHeight

  function look(): void {
    const top = place.current === null ? 0 : -place.current.getBoundingClientRect().top
    let [row, y] = [0, 0]
    while (row < count && y + heightOf(row) < top) y += heightOf(row++)
    const first = Math.max(0, row - SPARE)
    while (row < count && y < top + innerHeight) y += heightOf(row++)
    const end = Math.min(count, row + SPARE)
    setRange(known => (known.first === first && known.end === end ? known : { first, end }))
  }
  useLayoutEffect(() => {
    for (const row of place.current?.querySelectorAll<HTMLElement>('[data-row]') ?? []) {
      heights.current.set(Number(row.dataset.row), row.offsetHeight)
    }
    look()
  })
  useEffect(() => {
    let asked = 0
    const ask = (): void => {
      cancelAnimationFrame(asked)
      asked = requestAnimationFrame(look)
    }
    addEventListener('scroll', ask, { passive: true })
    addEventListener('resize', ask)
    return () => {
      cancelAnimationFrame(asked)
      removeEventListener('scroll', ask)
      removeEventListener('resize', ask)
    }
  }, [count])
  const sum = (from: number, to: number): number => {
    let total = 0
    for (let row = from; row < to; row++) total += heightOf(row)
    return total
  }
  const [first, end] = [Math.min(range.first, count), Math.min(range.end, count)]
  return { first, end, before: sum(0, first), after: sum(end, count), place }
}
