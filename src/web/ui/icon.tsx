/** Strokes on a 16 × 16 grid. */
const PATHS = {
  pass: 'M8 2a6 6 0 1 0 0 12a6 6 0 0 0 0-12M5 8l2 2 4-4',
  block: 'M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM6 6l4 4m0-4l-4 4',
  warn: 'M8 2l6.5 11.5h-13zM8 6.5v3M8 11.5v.1',
  info: 'M8 2a6 6 0 1 0 0 12a6 6 0 0 0 0-12M8 7.5V11M8 5v.1',
  waiting: 'M8 2a6 6 0 1 0 0 12a6 6 0 0 0 0-12M8 5v3l2 1.5',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  copied: 'M3 8.5l3 3 7-7',
  close: 'M3.5 3.5l9 9m0-9l-9 9',
  back: 'M3 3v3.5h3.5M3.5 6a5.5 5.5 0 1 1-1 3.5',
  up: 'M8 13V3.5M4 7.5l4-4 4 4',
  down: 'M8 3v9.5M4 8.5l4 4 4-4',
  same: 'M3.5 6h9M3.5 10h9',
  right: 'M6 3l5 5-5 5',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9M10.5 10.5l3 3',
  lock: 'M3.5 7h9v7h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  open: 'M3.5 7h9v7h-9zM5.5 7V5a2.5 2.5 0 0 1 5-1',
  board: 'M2.5 2.5H7v11H2.5zM9 2.5h4.5V7H9zM9 9h4.5v4.5H9z',
  releases: 'M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6',
  ledger: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3',
  approvals: 'M8 8a2.5 2.5 0 1 0 0-5a2.5 2.5 0 0 0 0 5M3 13.5c.5-2.5 2.5-3.5 5-3.5M9 12l2 2 3-3.5',
  steps: 'M2 13.5h3v-3h3v-3h3v-5h3',
  eye: 'M1.5 8c3-6 10-6 13 0c-3 6-10 6-13 0M8 6a2 2 0 1 0 .01 0',
  checklist: 'M2.5 3.5l1 1 2-2M2.5 8l1 1 2-2M2.5 12.5l1 1 2-2M8 4h5.5M8 8.5h5.5M8 13h5.5',
  runs: 'M2 8.5h2.5l2-5 3 9 2-4H14',
  webhooks:
    'M8 5a2 2 0 1 0-.01 0M3.5 13a2 2 0 1 0-.01 0M12.5 13a2 2 0 1 0-.01 0M7 5L4.5 9M9 5l2.5 4M5.5 11.5h5',
  policy: 'M8 2l5 2v4c0 3-2 5-5 6c-3-1-5-3-5-6V4zM5.5 8l2 2 3-3.5',
  access: 'M10.5 2a3.5 3.5 0 1 1-2.5 6L3 13H2v-1.5M4.5 11.5l1 1M11 5v.1',
} as const
export type IconName = keyof typeof PATHS

/** A picture next to words that say the same; it is hidden from those who hear the page. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
