import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyCheckout, filesOf } from '../support/processes/package.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

/** The instructions of the Dockerfile, lines joined. */
const INSTRUCTIONS = readFileSync(join(ROOT_PATH, 'deploy/docker/Dockerfile'), 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(line => line.trim() !== '')
  .map(line => /^\s*(\w+)\s+(.*)$/.exec(line)!.slice(1) as [name: string, text: string])

const valuesOf = (name: string): string[] =>
  INSTRUCTIONS.filter(([each]) => each === name).map(([, text]) => text)
const listOf = (name: string): string[] => JSON.parse(valuesOf(name).at(-1)!) as string[]
const [UID] = valuesOf('USER').at(-1)!.split(':').map(Number) as [number]
const isRoot = process.getuid?.() === 0

/**
 * The commands of the Dockerfile, run in folders in place of /src, /app, /tmp and /data. `npm ci` would fetch what is
 * here already: it links that, and with PROVE=1 it is run.
 */
const image = { src: '', app: '', data: '', path: '' }
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  // So that it can be removed.
  if (image.app !== '') execFileSync('chmod', ['-R', 'u+w', image.app])
})

beforeAll(() => {
  image.src = copyCheckout()
  const base = dirname(image.src)
  chmodSync(base, 0o755)
  execFileSync('rm', [join(image.src, 'node_modules')])
  const folder = (name: string): string => {
    mkdirSync(join(base, name))
    return join(base, name)
  }
  const [tmp, bin] = [folder('tmp'), folder('bin')]
  Object.assign(image, { app: folder('app'), data: folder('data'), path: bin })
  writeNpm(bin, image.app)
  symlinkSync(process.execPath, join(bin, 'node'))
  const [build, app, rest] = valuesOf('RUN')
  const here = (command: string): string =>
    command
      .replaceAll(
        /(?<=\s|^)\/(src|app|tmp)\b/g,
        (_, name: 'src' | 'app' | 'tmp') => ({ ...image, tmp })[name],
      )
      .replaceAll('/usr/local/bin/', `${bin}/`)
      .replaceAll('/data', image.data)
  sh(here(build!), image.src)
  sh(here(app!), image.app)
  // Only root makes files for others.
  sh(
    isRoot
      ? here(rest!).replace('-o node -g node', `-o ${UID} -g ${UID}`)
      : here(rest!.replace('-o node -g node', '')),
    base,
  )
  execFileSync('chmod', ['-R', 'a-w,a+rX', image.app])
})

test('is of the Node that the clone is tested with, and builds the files that there are', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT_PATH, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  expect(valuesOf('ARG')).toEqual([`NODE_VERSION=${devDependencies.node}`])
  expect(valuesOf('FROM').every(from => from.startsWith('node:${NODE_VERSION}-'))).toBe(true)
})

test('holds what runs, and nothing of the sources', () => {
  const files = filesOf(image.app).filter(file => !file.startsWith('node_modules'))
  expect(files).toContain('dist/cli/main.cjs')
  expect(files.filter(file => /^(?:src|test|handlers)\//.test(file))).toEqual([])
})

describe('run by a user who can write nothing but the data', () => {
  test('makes a workspace, serves it, is healthy while it does, and stops when it is told', async () => {
    const before = filesOf(image.app).length
    const made = spawnSync(join(image.path, 'svc'), ['init'], options())
    expect(made.stderr.toString()).toContain('next, register')
    expect(made.status).toBe(0)
    const [program, ...args] = [...listOf('ENTRYPOINT'), ...listOf('CMD')]
    const server = spawn(join(image.path, program!), [...args, '--port', '0'], options())
    children.push(server)
    const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
    const port = /:(\d+) /.exec(line)![1]!
    expect(line).toContain('listening on http://0.0.0.0:')
    expect(healthy(port)).toBe(0)
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
    const doctor = spawnSync(join(image.path, 'svc'), ['doctor'], options())
    expect(doctor.status, doctor.stderr.toString()).toBe(0)
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).toEqual([0, null])
    expect(healthy(port)).toBe(1)
    expect(filesOf(image.app)).toHaveLength(before)
  })

  test('can not change the program', () => {
    const file = join(image.app, 'package.json')
    const { status } = spawnSync('sh', ['-c', `echo > ${file}`], options())
    expect(status).not.toBe(0)
  })
})

/** What the image's health check ends with. */
function healthy(port: string): number | null {
  const [, command] = /CMD (\[.*\])$/.exec(valuesOf('HEALTHCHECK')[0]!)!
  const [program, ...args] = JSON.parse(command!.replace('8765', port)) as string[]
  return spawnSync(join(image.path, program!), args, options()).status
}

function options() {
  const { SERVICE_URL: _url, SERVICE_LOCAL_API_TOKEN: _token, NODE_OPTIONS: _options, ...env } = process.env
  return {
    cwd: image.data,
    env: { ...env, PATH: `${image.path}${delimiter}${process.env.PATH}`, HOME: '/nonexistent' },
    ...(isRoot ? { uid: UID, gid: UID } : {}),
  }
}

/** An npm whose `ci` links what is installed here: all of it, or only what the package depends on. */
function writeNpm(bin: string, app: string): void {
  const real = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  const modules = join(ROOT_PATH, 'node_modules')
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/sh
if [ "$1" != ci ] || [ -n "$PROVE" ]; then exec "${real}" "$@"; fi
if [ "$PWD" != "${app}" ]; then exec ln -s "${modules}" node_modules; fi
case " $* " in *" --omit=dev "*) ;; *) exit 1 ;; esac
for name in $(node -p "Object.keys(require('./package.json').dependencies).join(' ')"); do
  mkdir -p "node_modules/$(dirname "$name")" && ln -s "${modules}/$name" "node_modules/$name"
done
`,
  )
  chmodSync(join(bin, 'npm'), 0o755)
  chownSync(join(bin, 'npm'), process.getuid?.() ?? 0, process.getgid?.() ?? 0)
}

function sh(command: string, cwd: string): void {
  const env = { ...process.env, PATH: `${image.path}${delimiter}${process.env.PATH}` }
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', command], { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stdout}${stderr}`.slice(-4000))
}
