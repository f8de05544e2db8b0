import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { standalone } from '../packaging/standalone.ts'
import { table } from '../markdown.ts'

// From an empty folder to the demo's page, to the first run of an agent and to a blocked pull request, in each way that the
// program comes. Writes docs/project/ways-in.md.

interface Way {
  readonly name: string
  /** Commands that install the program, run in the empty folder. */
  readonly install: readonly string[]
  /** Folders of PATH before those of the system. */
  readonly path: readonly string[]
  /** Where its commands are typed, in the empty folder, and the text before them. */
  readonly work: string
  readonly before?: string
}

const PAGE = join(ROOT_PATH, 'docs/project/ways-in.md')

const FIRST_RUN = [
  'svc init --guided --for ci --agent my-agent --env prod',
  'svc policy set policy.yaml',
  'svc release register my-agent --env prod > baseline.txt',
  'svc release promote $(cat baseline.txt) --first --env prod --window 24h --reason "first release"',
  'svc runs ingest first.jsonl',
]
const BLOCKED = [
  "sed -i.old 's/0.1.0/0.2.0/' my-agent/release.yaml",
  'svc release register my-agent --env prod > candidate.txt',
  'svc runs ingest trial.jsonl',
  'svc release gate $(cat candidate.txt) --env prod --window 24h',
]

const folder = mkdtempSync(join(tmpdir(), 'svc-ways-in-'))
try {
  const tarball = join(
    folder,
    sh(`npm pack '${ROOT_PATH}' --silent`, folder, [dirname(process.execPath)]).trim(),
  )
  const archive = standalone(tarball, folder)
  const node = dirname(process.execPath)
  const ways: Way[] = [
    {
      name: 'a clone',
      install: [
        `git clone --quiet '${ROOT_PATH}' clone`,
        '(cd clone && npm ci --silent --no-audit --no-fund)',
      ],
      path: [node],
      work: 'clone/work',
      before: 'npx ',
    },
    {
      name: 'the package of npm',
      install: [`npm install --silent --no-audit --no-fund --prefix . '${tarball}'`],
      path: [node, 'node_modules/.bin'],
      work: 'work',
    },
    {
      name: 'the archive with its own Node',
      install: [`tar -xzf '${archive}'`],
      path: [`release-governance-${process.platform}-${process.arch}/bin`],
      work: 'work',
    },
  ]
  const rows: string[][] = []
  for (const way of ways) rows.push(await taken(way))
  const text = table(
    ['what came', 'installed', 'the page of the demo', 'the first run', 'a blocked pull request'],
    rows,
  )
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(PAGE, `${page.split('\n| ')[0]!.trimEnd()}\n\n${text}\n`)
  process.stdout.write(`${text}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** A row: commands and seconds of each step. Throws where a step doesn't end as it is to. */
async function taken({ name, install, path, work: inner, before = '' }: Way): Promise<string[]> {
  const empty = join(folder, name.replaceAll(' ', '-'))
  const work = join(empty, inner)
  mkdirSync(empty)
  const paths = path.map(each => (each.startsWith('/') ? each : join(empty, each)))
  /** What a command writes. Throws where it ends with another status. */
  const svc = (command: string, expected = 0): string => {
    const { status, text } = ended(command.replace('svc ', `${before}svc `), work, paths)
    check(status === expected, `${command} ends with ${expected}, and ended with ${status}: ${text}`)
    return text
  }
  const idOf = (side: string): string => readFileSync(join(work, `${side}.txt`), 'utf8').trim()
  return [
    name,
    await timed(install, () => {
      for (const command of install) sh(command, empty, paths)
      mkdirSync(work)
    }),
    await timed(['svc demo --serve'], () => openDemo(`exec ${before}svc demo --serve`, work, paths)),
    await timed(FIRST_RUN, () => {
      for (const command of FIRST_RUN.slice(0, -1)) svc(command)
      writeFileSync(join(work, 'first.jsonl'), runsOf(idOf('baseline'), 1, 1000))
      svc(FIRST_RUN.at(-1)!)
      const listed = svc(`svc runs list ${idOf('baseline')} --env prod --window 24h`)
      check(listed.includes(`${idOf('baseline')}-0`), `the run is listed: ${listed}`)
    }),
    await timed(BLOCKED, () => {
      for (const command of BLOCKED.slice(0, 2)) svc(command)
      writeFileSync(
        join(work, 'trial.jsonl'),
        runsOf(idOf('baseline'), 150, 1000, 1) + runsOf(idOf('candidate'), 150, 9000),
      )
      svc(BLOCKED[2]!)
      check(svc(BLOCKED[3]!, 3).includes('cost'), 'the gate names the cost')
    }),
  ]
}

async function timed(commands: readonly string[], work: () => unknown): Promise<string> {
  const startedAt = performance.now()
  await work()
  return `${commands.length} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`
}

/** Until the page that the demo names answers. It then ends by an interrupt, without an error. */
async function openDemo(command: string, work: string, paths: readonly string[]): Promise<void> {
  const demo = spawn('sh', ['-c', command], {
    cwd: work,
    env: environment(paths),
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own: an interrupt at a terminal reaches npx and what it started.
    detached: true,
  })
  const over = once(demo, 'exit')
  try {
    for await (const line of createInterface({ input: demo.stdout })) {
      const url = /https?:\/\/[^\s;]+/.exec(line)?.[0]
      if (url === undefined) continue
      const page = await fetch(url)
      check(page.ok && (await page.text()).includes('<html'), `${url} answers a page`)
      break
    }
  } finally {
    process.kill(-demo.pid!, 'SIGINT')
  }
  const [code] = (await over) as [number | null]
  // npx says that it was interrupted, however well what it started has ended.
  check(code === 0 || command.includes('npx '), `svc demo --serve ends with 0, and ended with ${code}`)
}

/** Lines of as many runs, whose input varies by a few tokens. */
function runsOf(release_id: string, count: number, tokens: number, first = 0): string {
  const lines = Array.from({ length: count }, (_, index) => ({
    timestamp: new Date(Date.now() - 60_000 + 300 * index).toISOString(),
    agent_id: 'my-agent',
    release_id,
    run_id: `${release_id}-${first + index}`,
    environment: 'prod',
    tenant_id: 'acme',
    task_id: 'returns',
    metrics: { success: true, latency_ms: 900 + (index % 40) },
    usage: {
      model: {
        provider: 'openai',
        model: 'gpt-4.1-mini',
        input_tokens: tokens + (index % 30),
        output_tokens: 300,
      },
    },
  }))
  return lines.map(line => `${JSON.stringify(line)}\n`).join('')
}

/** What a command wrote. Throws where it ends with an error. */
function sh(command: string, cwd: string, paths: readonly string[]): string {
  const { status, text } = ended(command, cwd, paths)
  check(status === 0, `${command}\n${text}`)
  return text
}

function ended(
  command: string,
  cwd: string,
  paths: readonly string[],
): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd,
    env: environment(paths),
    encoding: 'utf8',
  })
  return { status, text: status === 0 ? stdout : `${stdout}${stderr}` }
}

/** Of what configures the service nothing is left. */
function environment(paths: readonly string[]): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:SERVICE_|NODE_OPTIONS$|npm_|INIT_CWD$)/.test(name),
  )
  return { ...Object.fromEntries(kept), USER: 'newcomer', PATH: [...paths, '/usr/bin', '/bin'].join(':') }
}

function check(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what)
}
