import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { main } from '../../src/entry/main.ts'

/** Lines of `svc demo` that the picture shows; what depends on the time of day is left out. */
const SHOWN: readonly RegExp[] = [
  /^␛\[1m\d\. /,
  /^␛\[2m\$.* svc (?:policy set|release (?:promote|diff|rollback))/,
  /^ {2}\S*(?:PROMOTED|BLOCKED|ROLLED BACK)/,
  /^ {4}(?:cost may be|latency may be|up to 3 %)/,
  /^ {2}(?:runs|cost per run|latency, mean|error rate) [^[]*$/,
  /^ {2}(?:confidence|policy) /,
  /^ {4}- candidate /,
]

const COLUMNS = 104
const ROWS = 24
const LINE = 18
const CHAR = 7.83
const SECONDS = 13
/** Where nothing more comes, so that it can be read. */
const REST = 0.75

/** A terminal in which `svc demo` runs, as an animated SVG: the same bytes each time. */
export async function demoPicture(): Promise<string> {
  const lines = excerpt(await recorded())
  const at = lines.map((_, index) => Number(((100 * REST * index) / lines.length).toFixed(2)))
  const scrolls = at.flatMap((time, index) =>
    index < ROWS ? [] : [`${time}%{transform:translateY(${-(index - ROWS + 1) * LINE}px)}`],
  )
  const last = -Math.max(0, lines.length - ROWS) * LINE
  const [width, height] = [Math.ceil(COLUMNS * CHAR) + 24, ROWS * LINE + 56]
  const style = [
    `text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#d7dce2;white-space:pre}`,
    `.b{font-weight:700;fill:#fff}.d{fill:#8b949e}.g{fill:#56d364;font-weight:700}.r{fill:#ff7b72;font-weight:700}`,
    `.s{animation:s ${SECONDS}s step-end infinite;transform:translateY(${last}px)}`,
    `@keyframes s{0%{transform:none}${scrolls.join('')}}`,
    ...at.map(
      (time, index) =>
        `.l${index}{animation:k${index} ${SECONDS}s step-end infinite}@keyframes k${index}{0%{opacity:0}${time}%{opacity:1}}`,
    ),
    '@media(prefers-reduced-motion){*{animation:none!important}}',
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="svc demo: a good release is promoted, a bad one blocked, and production rolled back">
<style>${style.join('\n')}</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="20" cy="18" r="6" fill="#ff5f56"/><circle cx="40" cy="18" r="6" fill="#ffbd2e"/><circle cx="60" cy="18" r="6" fill="#27c93f"/>
<svg x="12" y="36" width="${width - 24}" height="${ROWS * LINE + 8}"><g class="s">
${lines.map((text, index) => `<text class="l${index}" y="${(index + 1) * LINE - 4}">${spans(text)}</text>`).join('\n')}
</g></svg>
</svg>
`
}

/** What it prints, with a sign in place of each escape. */
async function recorded(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'))
  let text = ''
  try {
    const code = await main(['demo', '--no-doctor'], '', {
      cwd: folder,
      env: { USER: 'demo', TMPDIR: folder },
      stdin: Readable.from([]),
      out: part => void (text += part),
      err: part => void (text += part),
      outIsTty: true,
      errIsTty: false,
      outColumns: COLUMNS,
    })
    if (code !== 0) throw new Error(`svc demo ended with ${code}: ${text}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return text.replaceAll('\u001B', '␛')
}

function excerpt(text: string): string[] {
  const ids = new Map<string, string>()
  const named = text.replaceAll(/\brel_[0-9a-f]{12}\b/g, id => {
    if (!ids.has(id))
      ids.set(id, `rel_${(0x3c6ef372 * (ids.size + 1)).toString(16).padStart(12, '0').slice(-12)}`)
    return ids.get(id)!
  })
  const lines = named
    .replaceAll(/ {2}act_\w+$/gm, '')
    .split('\n')
    .filter(line => SHOWN.some(pattern => pattern.test(line)))
  return lines.flatMap((line, index) => (index > 0 && /^␛\[1m\d\. /.test(line) ? ['', line] : [line]))
}

/** Classes by the codes that begin a colour; each ends one. */
const CLASSES: Readonly<Record<string, string>> = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'd' }

function spans(line: string): string {
  const escaped = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return escaped.replaceAll(/␛\[(\d+)m/g, (_, code: string) =>
    CLASSES[code] === undefined ? '</tspan>' : `<tspan class="${CLASSES[code]}">`,
  )
}
