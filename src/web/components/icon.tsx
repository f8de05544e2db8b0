/** Strokes on a 16 × 16 grid. */
const PATHS = {
  pass: 'M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 0 0 0-12.5M5.2 8.2l2 2l3.6-4.2',
  block: 'M5.4 1.75h5.2l3.65 3.65v5.2l-3.65 3.65H5.4L1.75 10.6V5.4zM5.8 5.8l4.4 4.4m0-4.4l-4.4 4.4',
  warn: 'M8 2.2L14.4 13.4H1.6zM8 6.4v3.2M8 11.4v.1',
  info: 'M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 0 0 0-12.5M8 7.4v3.6M8 5v.1',
  waiting: 'M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 0 0 0-12.5M8 4.6V8l2.3 1.4',
  copy: 'M5.5 5.5h7.75v7.75H5.5zM3.4 10.5H2.75V2.75h7.75v.65',
  copied: 'M3 8.6l3.2 3.2L13 4.8',
  close: 'M3.5 3.5l9 9m0-9l-9 9',
  back: 'M3.2 3v3.6h3.6M3.4 6.4A5.4 5.4 0 1 1 2.8 9.6',
  up: 'M8 13V3.4M4 7.2l4-4l4 4',
  down: 'M8 3v9.6M4 8.8l4 4l4-4',
  same: 'M3.5 6.2h9M3.5 9.8h9',
  right: 'M6 3.2L10.8 8L6 12.8',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.500 4.500 0 0 0 0-9M10.300 10.300L13.600 13.600',
  lock: 'M3.5 7.25h9v6.5h-9zM5.4 7V5a2.6 2.6 0 0 1 5.2 0v2',
  open: 'M3.5 7.25h9v6.5h-9zM5.4 7V5a2.6 2.6 0 0 1 5-.9',
  board: 'M2.5 2.75h4.6v10.5H2.5zM9 2.75h4.5V7H9zM9 9h4.5v4.25H9z',
  releases: 'M8 1.9l5.6 3v6.2L8 14.1l-5.6-3V4.9zM2.6 5L8 7.9L13.4 5M8 8v6',
  diff: 'M4 2.5v8.2M4 10.7a1.4 1.4 0 1 0 .01 0M12 13.5V5.3M12 5.3a1.4 1.4 0 1 0-.01 0M9.8 2.6L7.4 3.9l2.2 1.5M6.2 13.4l2.4-1.3l-2.2-1.5',
  ledger: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3',
  approvals:
    'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8M2.8 13.6c.5-2.4 2.5-3.6 5.2-3.6M9.2 12l1.6 1.6l3-3.4',
  watches: 'M1.5 8S4 3.500 8 3.500S14.500 8 14.500 8S12 12.500 8 12.500S1.500 8 1.500 8M8 6a2 2 0 1 0 .01 0',
  runs: 'M1.75 8.5h2.6l2-5l3.2 9l2-4h2.7',
  webhooks:
    'M8 5.2a1.9 1.9 0 1 0-.01 0M3.6 13.2a1.9 1.9 0 1 0-.01 0M12.4 13.2a1.9 1.9 0 1 0-.01 0M7 5l-2.6 4.6M9 5l2.6 4.6M5.6 11.4h4.8',
  policy:
    'M8 1.8l5.2 2v4c0 3-2 5.2-5.2 6.4C4.800 13 2.800 10.800 2.800 7.800v-4zM5.600 8l1.700 1.700L10.400 6.400',
  access:
    'M10.400 2.200a3.400 3.400 0 1 1-2.300 5.900L3.200 13l-1.200-.1V11.600M4.400 11.800l1.200 1.200M10.900 5.100v.1',
} as const
export type IconName = keyof typeof PATHS

/** A picture beside words that say the same; it is hidden from those who hear the page. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
