const [WIDTH, LEFT, RIGHT] = [640, 150, 620]
const [BASELINE, CANDIDATE, GREY] = ['#2563eb', '#dc2626', '#777']

/** Pictures of docs/compare.md that show no figure that is measured. */
export const PICTURES: Readonly<Record<string, () => string>> = {
  'gate-intervals.svg': gateIntervals,
  'common-time.svg': commonTime,
  'task-mix.svg': taskMix,
}

/** Intervals of a change against a limit, and what becomes of each. */
function gateIntervals(): string {
  const x = (change: number): number => LEFT + ((change + 5) / 30) * (RIGHT - LEFT)
  const cases = [
    ['pass', '#059669', -3, 6],
    ['fail', CANDIDATE, 13, 22],
    ['on_inconclusive', '#d97706', 2, 16],
  ] as const
  const bars = cases.map(([name, colour, low, high], index) => {
    const y = 66 + 34 * index
    return [
      text(LEFT - 12, y + 4, name, { anchor: 'end', colour }),
      line(x(low), y, x(high), y, colour, 3),
      ...[low, high].map(end => line(x(end), y - 6, x(end), y + 6, colour, 2)),
      `<circle cx="${round(x((low + high) / 2))}" cy="${y}" r="4" fill="${colour}"/>`,
    ].join('\n')
  })
  const ticks = [-5, 0, 5, 10, 15, 20, 25].map(change =>
    text(x(change), 218, `${change > 0 ? '+' : ''}${change} %`, { anchor: 'middle' }),
  )
  return drawing(232, 'A limit of +10 %: where the interval of the change lies decides', [
    line(x(0), 44, x(0), 200, '#ddd', 1),
    `<line x1="${round(x(10))}" x2="${round(x(10))}" y1="44" y2="200" stroke="#333" stroke-dasharray="4 4"/>`,
    text(x(10), 40, 'limit', { anchor: 'middle' }),
    ...bars,
    text(LEFT - 12, 172, 'not_comparable', { anchor: 'end', colour: GREY }),
    text(x(-3), 172, 'no interval: the releases share too little to compare; the answer says what to do', {
      colour: GREY,
    }),
    ...ticks,
  ])
}

const HOURS = 24
const FIRST_COMMON = 12

/** Two equal releases over a day, of which one ran in the afternoon alone. */
function commonTime(): string {
  const [left, right, top, bottom] = [56, 470, 44, 206]
  const x = (hour: number): number => left + (hour / HOURS) * (right - left)
  const level = (hour: number): number => 1000 + 180 * Math.sin(((hour - 9) / 24) * 2 * Math.PI)
  const y = (latency: number): number => bottom - ((latency - 700) / 600) * (bottom - top)
  const hours = Array.from({ length: HOURS }, (_, hour) => hour)
  const dots = (from: number, colour: string, lift: number): string[] =>
    hours
      .filter(hour => hour >= from)
      .map(
        hour =>
          `<circle cx="${round(x(hour + 0.5))}" cy="${round(y(level(hour)) + lift)}" r="4" fill="${colour}"/>`,
      )
  const mean = (from: number): number => {
    const own = hours.filter(hour => hour >= from).map(level)
    return own.reduce((sum, one) => sum + one, 0) / own.length
  }
  const means = [
    [mean(0), BASELINE, 'baseline, all day', 4],
    [mean(FIRST_COMMON), CANDIDATE, 'both, from 12:00', 4],
  ] as const
  return drawing(262, 'Two equal releases: mean latency by hour, ms', [
    `<rect x="${round(x(FIRST_COMMON))}" y="${top}" width="${round(right - x(FIRST_COMMON))}" height="${bottom - top}" fill="#f3f4f6"/>`,
    text((x(FIRST_COMMON) + right) / 2, top + 14, 'compared, hour by hour', {
      anchor: 'middle',
      colour: GREY,
    }),
    ...[800, 1000, 1200].map(
      latency =>
        line(left, y(latency), right, y(latency), '#ddd', 1) +
        text(left - 6, y(latency) + 4, String(latency), { anchor: 'end' }),
    ),
    ...hours
      .filter(hour => hour >= FIRST_COMMON)
      .map(hour => line(x(hour), top, x(hour), bottom, '#e5e7eb', 1)),
    ...dots(0, BASELINE, -4),
    ...dots(FIRST_COMMON, CANDIDATE, 4),
    ...means.map(([latency, colour, name, drop]) =>
      [
        `<line x1="${right}" x2="${right + 14}" y1="${round(y(latency))}" y2="${round(y(latency))}" stroke="${colour}" stroke-width="3"/>`,
        text(right + 18, y(latency) + drop, `${name}: ${Math.round(latency)}`, { colour }),
      ].join(''),
    ),
    ...[0, 6, 12, 18, 24].map(hour => text(x(hour), bottom + 18, `${hour}:00`, { anchor: 'middle' })),
    ...legend(left, bottom + 44),
  ])
}

/** A share of the runs of a side, and how long such runs take, by task. */
const TASKS = [
  ['lookup', 400, 0.6, 0.4],
  ['returns', 1600, 0.4, 0.6],
] as const

/** Two releases that are equal for each task, of which one had more of the slow task. */
function taskMix(): string {
  const [left, full] = [150, 300]
  const sides = [
    ['baseline', BASELINE, 2],
    ['candidate', CANDIDATE, 3],
  ] as const
  const bars = sides.flatMap(([name, colour, share], index) => {
    const y = 50 + 62 * index
    let from = left
    const parts = TASKS.map((task, which) => {
      const width = full * task[share]
      const at = from
      from += width
      return (
        `<rect x="${round(at)}" y="${y}" width="${round(width)}" height="34" fill="${colour}" fill-opacity="${which === 0 ? 0.25 : 0.7}"/>` +
        text(at + width / 2, y + 21, `${Math.round(100 * task[share])} % ${task[0]}`, { anchor: 'middle' })
      )
    })
    const mean = TASKS.reduce((sum, task) => sum + task[1] * task[share], 0)
    return [
      text(left - 12, y + 21, name, { anchor: 'end', colour }),
      ...parts,
      text(left + full + 12, y + 21, `mean ${Math.round(mean)} ms`, { colour }),
    ]
  })
  return drawing(200, 'Two equal releases, other shares of two tasks', [
    ...bars,
    text(
      left,
      184,
      `${TASKS.map(([name, ms]) => `${name} takes ${ms} ms`).join(' and ')} in both: by task, nothing changed`,
      { colour: '#333' },
    ),
  ])
}

function legend(x: number, y: number): string[] {
  return (
    [
      ['baseline', BASELINE],
      ['candidate', CANDIDATE],
    ] as const
  ).map(
    ([name, colour], index) =>
      `<circle cx="${x + 110 * index}" cy="${y - 4}" r="4" fill="${colour}"/>` +
      text(x + 110 * index + 10, y, name, { colour }),
  )
}

function line(x1: number, y1: number, x2: number, y2: number, colour: string, width: number): string {
  return `<line x1="${round(x1)}" x2="${round(x2)}" y1="${round(y1)}" y2="${round(y2)}" stroke="${colour}" stroke-width="${width}"/>`
}

function text(
  x: number,
  y: number,
  said: string,
  { anchor = 'start', colour = '#333' }: { anchor?: string; colour?: string } = {},
): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${colour}">${said}</text>`
}

function round(value: number): string {
  return value.toFixed(1)
}

function drawing(height: number, title: string, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="16" y="20" font-size="13">${title}</text>
${parts.join('\n')}
</svg>
`
}
